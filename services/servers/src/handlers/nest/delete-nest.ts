import { type Handler } from '@panel/rpc';
import type { NestServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { deleteNest as remove } from '../../usecases/nests/delete-nest.js';

export function deleteNest(context: ServersContext): Handler<NestServiceService['deleteNest']> {
  return async ({ nestId }) => {
    await remove(context, nestId);
    return {};
  };
}
