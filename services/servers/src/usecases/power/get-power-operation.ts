import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { PowerOperation } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../servers/load-server.js';

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, POWER_OPERATION_NOT_FOUND. */
export async function getPowerOperation(
  context: Pick<ServersContext, 'stores'>,
  { serverId, operationId }: { readonly serverId: string; readonly operationId: string },
  caller: Caller,
): Promise<PowerOperation> {
  const { server } = await loadServer(context, serverId, caller);
  const operation = server.powerOperations?.find(({ id }) => id === operationId);
  if (operation) return operation;
  throw fail('POWER_OPERATION_NOT_FOUND', 'the server has no such power action among its last ones', {
    server_id: serverId,
    operation_id: operationId,
  });
}
