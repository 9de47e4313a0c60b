import type { GameServer, Leftover } from '../domain/server.js';
import type { GameDeps } from '../power/deps.js';

const retryMs = 10_000;
const maxAtOnce = 8;

type LeftoverDeps = Pick<
  GameDeps,
  'servers' | 'nodes' | 'allocations' | 'files' | 'runtimes' | 'log' | 'fault' | 'settings'
>;

/** Remove what servers have left on nodes that are not theirs, as far as those answer; the rest is tried again later. */
export async function removeLeftovers(deps: LeftoverDeps, ownedNodes: readonly string[]): Promise<void> {
  if (ownedNodes.length === 0) return;
  const servers = await deps.servers.transfers.withLeftovers(ownedNodes, maxAtOnce);
  await Promise.all(servers.map((server) => removeLeftoversOf(deps, server)));
}

async function removeLeftoversOf(deps: LeftoverDeps, server: GameServer): Promise<void> {
  for (const leftover of server.leftovers ?? []) {
    const key = { serverId: server.id, nodeId: leftover.nodeId, copyId: leftover.copyId };
    const { workTtlMs } = deps.settings;
    if (!(await deps.servers.transfers.claimLeftover(key, workTtlMs))) continue;
    const renewal = setInterval(
      () => {
        deps.servers.transfers
          .postponeLeftover(key, workTtlMs)
          .catch((error: unknown) => deps.log.debug({ err: error, ...key }, 'a claim was not renewed'));
      },
      Math.floor(workTtlMs / 3),
    ).unref();
    try {
      await removeLeftover(deps, server, leftover);
      deps.fault('transfer.cleaned');
      await deps.servers.transfers.dropLeftover(key);
    } catch (error) {
      deps.log.warn({ err: error, ...key, kind: leftover.kind }, 'a node still has something of a server that left it');
      await deps.servers.transfers.postponeLeftover(key, retryMs);
    } finally {
      clearInterval(renewal);
    }
  }
}

/**
 * Remove everything of one leftover: its reservations first, which needs nobody, because nothing of the server runs
 * there; then its instance and its files. Idempotent. Throws NODE_UNREACHABLE, SERVICE_UNAVAILABLE.
 */
export async function removeLeftover(deps: LeftoverDeps, server: GameServer, leftover: Leftover): Promise<void> {
  const { nodes, allocations, files, fault } = deps;
  await allocations.releaseOn(leftover.nodeId, server.id);
  await nodes.release(leftover.nodeId, server.id);
  fault('transfer.released');
  const [node, home] = await Promise.all([nodes.get(leftover.nodeId), nodes.get(server.nodeId)]);
  if (!node) return;
  if (leftover.kind === 'target') {
    await files.discard(node, server.id, leftover.copyId);
    return;
  }
  const runtime = deps.runtimes.of(node);
  const instance = await runtime.inspect(server.id);
  // Two nodes can share an engine: what was started after the server moved is not left over.
  if (instance && instance.generation <= leftover.generation) await runtime.remove(server.id);
  fault('transfer.instance_removed');
  if (!home || !files.isShared(node, home)) await files.deleteVolume(node, server.id);
}
