import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { fail } from '../../reasons.js';

/**
 * One write, independent of worker and nodes; the target's copy is removed later. Throws SERVER_NOT_FOUND, NO_TRANSFER.
 */
export async function cancelTransfer(
  { stores, operations, hub }: Pick<ServersContext, 'stores' | 'operations' | 'hub'>,
  serverId: string,
): Promise<void> {
  const { servers } = stores;
  if (!(await servers.transfers.end(serverId, { outcome: 'cancelled' }))) {
    const server = await servers.get(serverId);
    if (!server) throw serverNotFound();
    const hasMoved = server.lastTransfer?.outcome === 'completed';
    const detail = hasMoved ? ': it is on its new node already' : '';
    throw fail('NO_TRANSFER', `the server is not being transferred${detail}`);
  }
  operations.cancel(serverId);
  hub.find(serverId)?.notice('the transfer was cancelled: the server stays where it is');
  operations.runNow();
}
