import { type Handler } from '@panel/rpc';
import type { NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { updateNest as update } from '../../usecases/nests/update-nest.js';

export function updateNest(context: ServersContext): Handler<NestServiceService['updateNest']> {
  return async ({ nestId, name, description, author }) => {
    const { nest, eggsCount } = await update(context, nestId, {
      ...(name !== undefined && { name: name.trim() }),
      ...(description !== undefined && { description }),
      ...(author !== undefined && { author }),
    });
    return { nest: presentNest(nest, eggsCount) };
  };
}
