import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServerOperation } from '../../present/server-operation.js';
import { getOperation } from '../../usecases/servers/get-operation.js';

export function handleGetOperation(context: ServersContext): Handler<ServerServiceService['getOperation']> {
  return async (request, call) => ({
    operation: presentServerOperation(await getOperation(context, request, call)),
  });
}
