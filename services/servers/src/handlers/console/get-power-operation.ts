import type { Handler } from '@panel/rpc';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentPowerOperation } from '../../present/power-operation.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function getPowerOperation(context: ServersContext): Handler<ConsoleServiceService['getPowerOperation']> {
  return async ({ serverId, operationId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const operation = server.powerOperations?.find(({ id }) => id === operationId);
    if (!operation)
      throw fail('POWER_OPERATION_NOT_FOUND', 'the server has no such power action among its last ones', {
        server_id: serverId,
        operation_id: operationId,
      });
    return { operation: presentPowerOperation(operation) };
  };
}
