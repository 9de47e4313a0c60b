import type { GameNode } from '../../domain/nodes/node.js';
import type { GameServer, Leftover } from '../../domain/servers/server.js';
import type { GameDeps } from '../power/deps.js';
import { thaw } from '../transfers/freeze-lease.js';

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
      await removeLeftover(deps, server, leftover, async () => deps.servers.transfers.postponeLeftover(key, workTtlMs));
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
 * there; then its instance and its files. `isStillThere` is asked last thing before those. Idempotent. Throws NODE_UNREACHABLE, SERVICE_UNAVAILABLE.
 */
export async function removeLeftover(
  deps: LeftoverDeps,
  server: GameServer,
  leftover: Leftover,
  isStillThere: () => Promise<boolean>,
): Promise<void> {
  const { nodes, allocations, files, fault } = deps;
  await allocations.releaseOn(leftover.nodeId, server.id);
  await nodes.release(leftover.nodeId, server.id);
  fault('transfer.released');
  const [node, home] = await Promise.all([nodes.get(leftover.nodeId), nodes.get(server.nodeId)]);
  if (leftover.kind === 'target' && home && leftover.operationId) {
    await thaw(deps, home, { serverId: server.id, operationId: leftover.operationId });
  }
  if (!node) return;
  if (leftover.kind === 'target') {
    await files.discard(node, server.id, leftover.copyId);
    return;
  }
  if (!home || !isSameEngine(node, home)) await removeInstance(deps, server.id, node, leftover);
  fault('transfer.instance_removed');
  if (home && files.isShared(node, home)) return;
  // Whoever slept over its claim would meet a server that has come back.
  if (await isStillThere()) await files.deleteVolume(node, server.id);
}

/** Then what is there under the server's name is, or will be replaced by, the instance of its new node. */
function isSameEngine(one: GameNode, other: GameNode): boolean {
  return one.runtime === 'docker' && other.runtime === 'docker' && one.engine.url === other.engine.url;
}

/** What was started after the server moved is not left over: two nodes can share an engine under different names. */
async function removeInstance(
  { runtimes }: LeftoverDeps,
  serverId: string,
  node: GameNode,
  { generation }: Leftover,
): Promise<void> {
  const runtime = runtimes.of(node);
  const instance = await runtime.inspect(serverId);
  if (instance && instance.generation <= generation) await runtime.remove(serverId);
}
