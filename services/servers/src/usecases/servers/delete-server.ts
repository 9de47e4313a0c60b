import { randomUUID } from 'node:crypto';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { deletionHint } from '../../domain/servers/deletion.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';

interface Deletion {
  readonly force: boolean;
  readonly keepBackups?: boolean | undefined;
}

/**
 * Ends other operations. A second call with `force` ends the wait for the node. Resolves with a server whose node does
 * not answer, else null. Throws SERVER_NOT_FOUND.
 */
export async function deleteServer(
  { stores, operations, keepsBackups }: Pick<ServersContext, 'stores' | 'operations' | 'keepsBackups'>,
  serverId: string,
  { force, keepBackups = keepsBackups }: Deletion,
): Promise<GameServer | null> {
  const { servers, nodes } = stores;
  const home = await servers.nodesOf([serverId]);
  const node = force ? null : await nodes.get(home.get(serverId) ?? '');
  const problem = node && !node.health.isReachable ? waitingFor(node.name) : undefined;
  const options = { force, keepBackups };
  // A step that the worker enters again keeps its problem.
  const step = problem === undefined ? 'waiting' : 'stop';
  const operation = { id: randomUUID(), kind: 'deleting' as const, step, options, problem };
  if (await servers.updates.beginDelete(serverId, operation)) operations.cancel(serverId);
  else if (!(await servers.exists(serverId))) throw serverNotFound();
  else if (force) await servers.updates.forceDelete(serverId);
  operations.runNow();
  return problem === undefined ? null : servers.get(serverId);
}

function waitingFor(nodeName: string): string {
  return `the node ${nodeName} does not answer: ${deletionHint}`;
}

/** While nothing was removed; its game is stopped then. Throws SERVER_NOT_FOUND, NO_DELETION. */
export async function cancelDeletion(
  { stores: { servers }, operations, hub }: Pick<ServersContext, 'stores' | 'operations' | 'hub'>,
  serverId: string,
): Promise<void> {
  if (!(await servers.updates.cancelDelete(serverId))) {
    const server = await servers.get(serverId);
    if (!server) throw serverNotFound();
    const isTooLate = server.operation?.kind === 'deleting';
    throw fail('NO_DELETION', isTooLate ? 'the deletion has begun to remove it' : 'the server is not being deleted');
  }
  operations.cancel(serverId);
  hub.find(serverId)?.notice('the deletion was taken back');
}
