import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { cancelDeletion } from '../../usecases/servers/delete-server.js';

export function handleCancelDeletion(context: ServersContext): Handler<ServerServiceService['cancelDeletion']> {
  return async ({ serverId }) => {
    await cancelDeletion(context, serverId);
    return {};
  };
}
