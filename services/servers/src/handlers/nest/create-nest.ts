import { type Handler } from '@panel/rpc';
import type { NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNest } from '../../present/egg.js';
import { createNest as create } from '../../usecases/nests/create-nest.js';

export function createNest(context: ServersContext): Handler<NestServiceService['createNest']> {
  return async ({ name, description, author }, { idempotencyId }) => {
    const { nest, eggsCount } = await create(context, { name: name.trim(), description, author }, idempotencyId);
    return { nest: presentNest(nest, eggsCount) };
  };
}
