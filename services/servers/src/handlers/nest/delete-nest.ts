import type { NestServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteNest } from '../../usecases/nests/delete-nest.js';

export function handleDeleteNest(context: ServersContext): Handler<NestServiceService['deleteNest']> {
  return async ({ nestId }) => {
    await deleteNest(context, nestId);
    return {};
  };
}
