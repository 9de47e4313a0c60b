import { randomUUID } from 'node:crypto';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';

/** Ends other operations. A second call with `force` ends the wait for the node. Throws SERVER_NOT_FOUND. */
export async function deleteServer(
  { stores, operations, keepsBackups }: Pick<ServersContext, 'stores' | 'operations' | 'keepsBackups'>,
  serverId: string,
  { force, keepBackups = keepsBackups }: { readonly force: boolean; readonly keepBackups?: boolean | undefined },
): Promise<void> {
  const { servers } = stores;
  const operation = { id: randomUUID(), kind: 'deleting' as const, step: 'waiting', options: { force, keepBackups } };
  if (await servers.updates.beginDelete(serverId, operation)) operations.cancel(serverId);
  else if (!(await servers.exists(serverId))) throw serverNotFound();
  else if (force) await servers.updates.forceDelete(serverId);
  operations.runNow();
}
