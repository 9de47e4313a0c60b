import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { transferServer } from '../../usecases/transfers/transfer-server.js';
import { readTransfer } from './read-request.js';

export function handleTransferServer(context: ServersContext): Handler<ServerServiceService['transferServer']> {
  return async (request, { actor }) => {
    return { server: presentServer(await transferServer(context, request.serverId, readTransfer(request), actor)) };
  };
}
