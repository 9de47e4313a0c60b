import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { findOperation, type FoundOperation } from '../../domain/servers/find-operation.js';
import { fail } from '../../reasons.js';
import { loadServer } from './load-server.js';

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, OPERATION_NOT_FOUND. */
export async function getOperation(
  context: Pick<ServersContext, 'stores'>,
  { serverId, operationId }: { readonly serverId: string; readonly operationId: string },
  caller: Caller,
): Promise<FoundOperation> {
  const { server } = await loadServer(context, serverId, caller);
  const found = findOperation(server, operationId);
  if (found) return found;
  throw fail('OPERATION_NOT_FOUND', 'the server has no such operation among its last ones', {
    server_id: serverId,
    operation_id: operationId,
  });
}
