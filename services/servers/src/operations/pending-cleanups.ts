import { acquireLease } from '@panel/kit/lease';
import { type GameNode, isSameEngine } from '../domain/nodes/node.js';
import type { GameServer, PendingCleanup } from '../domain/servers/server.js';
import { thaw } from './freeze-lease.js';
import type { OperationDeps } from './operation.js';

const retryMs = 10_000;
const maxAtOnce = 8;

type CleanupDeps = Pick<
  OperationDeps,
  'servers' | 'nodes' | 'allocations' | 'files' | 'runtimes' | 'log' | 'failpoint'
> & { readonly settings: Pick<OperationDeps['settings'], 'workTtlMs'> };

/** Removes remains on reachable nodes; the rest is retried. */
export async function runPendingCleanups(deps: CleanupDeps, ownedNodes: readonly string[]): Promise<void> {
  if (ownedNodes.length === 0) return;
  const servers = await deps.servers.transfers.withPendingCleanups(ownedNodes, maxAtOnce);
  await Promise.all(servers.map((server) => runCleanupsOf(deps, server)));
}

async function runCleanupsOf(deps: CleanupDeps, server: GameServer): Promise<void> {
  for (const cleanup of server.pendingCleanups ?? []) {
    const key = { serverId: server.id, nodeId: cleanup.nodeId, copyId: cleanup.copyId };
    const { workTtlMs } = deps.settings;
    const { transfers } = deps.servers;
    const lease = await acquireLease({
      name: 'pending cleanup',
      facts: key,
      ttlMs: workTtlMs,
      acquire: async () => transfers.claimCleanup(key, workTtlMs),
      renew: async () => transfers.postponeCleanup(key, workTtlMs),
      log: deps.log,
    });
    if (!lease) continue;
    try {
      await runCleanup(deps, server, cleanup, async () => lease.renew());
      deps.failpoint('transfer.cleaned');
      await lease.stop();
      await transfers.dropCleanup(key);
    } catch (error) {
      deps.log.warn({ err: error, ...key, kind: cleanup.kind }, 'a node still has something of a server that left it');
      const isHeld = lease.isHeld;
      await lease.stop();
      if (isHeld) await transfers.postponeCleanup(key, retryMs);
    }
  }
}

/**
 * Runs one cleanup: reservations first, which need no node, as nothing of the server runs there; then instance and
 * files. `requireLease` throws before these after another worker's claim. Idempotent. Throws NODE_UNREACHABLE,
 * SERVICE_UNAVAILABLE.
 */
export async function runCleanup(
  deps: CleanupDeps,
  server: GameServer,
  cleanup: PendingCleanup,
  requireLease: () => Promise<void>,
): Promise<void> {
  const { nodes, allocations, files, failpoint } = deps;
  await allocations.releaseOn(cleanup.nodeId, server.id);
  await nodes.release(cleanup.nodeId, server.id);
  failpoint('transfer.released');
  const [node, home] = await Promise.all([nodes.get(cleanup.nodeId), nodes.get(server.nodeId)]);
  if (cleanup.kind === 'target' && home) {
    await thaw(deps, home, { serverId: server.id, operationId: cleanup.operationId });
  }
  if (!node) return;
  if (cleanup.kind === 'target') {
    await files.discard(node, server.id, cleanup.copyId);
    return;
  }
  if (cleanup.kind === 'restored') {
    await requireLease();
    await files.deleteVolume(node, server.id);
    return;
  }
  if (!home || !isSameEngine(node, home)) {
    await files.requireUsable(node);
    await removeInstance(deps, server.id, node, cleanup);
  }
  failpoint('transfer.instance_removed');
  // The node may have newer files than the backup: staff decide on them.
  if (cleanup.kind === 'lost' || (home && files.isShared(node, home))) return;
  // During a process suspension the server may have returned to the node.
  await requireLease();
  await files.deleteVolume(node, server.id);
}

/** Two nodes can share an engine: an instance started after the move stays. */
async function removeInstance(
  { runtimes }: CleanupDeps,
  serverId: string,
  node: GameNode,
  { generation }: PendingCleanup,
): Promise<void> {
  const runtime = runtimes.of(node);
  const instance = await runtime.inspect(serverId);
  if (instance && instance.generation <= generation) await runtime.remove(serverId);
}
