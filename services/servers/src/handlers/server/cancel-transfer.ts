import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { cancelTransfer } from '../../usecases/transfers/cancel-transfer.js';

export function handleCancelTransfer(context: ServersContext): Handler<ServerServiceService['cancelTransfer']> {
  return async ({ serverId }) => {
    await cancelTransfer(context, serverId);
    return {};
  };
}
