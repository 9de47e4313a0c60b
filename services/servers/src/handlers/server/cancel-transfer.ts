import { type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { cancelTransfer as cancel } from '../../usecases/transfers/cancel-transfer.js';

export function cancelTransfer(context: ServersContext): Handler<ServerServiceService['cancelTransfer']> {
  return async ({ serverId }) => {
    await cancel(context, serverId);
    return {};
  };
}
