import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import type { NodeDeps } from './deps.js';

/** Servers in one call. */
const batchSize = 5_000;
/** How often a node hears the limits of all its servers. */
const intervalMs = 10 * 60_000;

type LimitDeps = Pick<NodeDeps, 'files' | 'log'>;

/**
 * Has the kernels of nodes hold the disk limits of all their servers, where they can, as soon as this replica watches a node
 * and every 10 minutes: also limits that were changed while the files service was unavailable, and of servers that were there
 * before their disk had quotas.
 */
export class DiskLimitKeeper {
  /** When, by node. */
  readonly #doneAt = new Map<string, number>();
  readonly #deps: LimitDeps & Pick<NodeDeps, 'servers' | 'nodes'>;

  constructor(deps: LimitDeps & Pick<NodeDeps, 'servers' | 'nodes'>) {
    this.#deps = deps;
  }

  /** What fails is tried again by the next call. */
  async tick(ownedNodes: readonly string[]): Promise<void> {
    for (const nodeId of this.#doneAt.keys()) if (!ownedNodes.includes(nodeId)) this.#doneAt.delete(nodeId);
    const due = ownedNodes.filter((id) => performance.now() - (this.#doneAt.get(id) ?? -Infinity) > intervalMs);
    if (due.length === 0) return;
    const { nodes, servers } = this.#deps;
    for (const node of await nodes.getMany(due)) {
      const limits = await servers.diskLimitsOfNode(node.id);
      let isDone = true;
      for (let at = 0; at < limits.length; at += batchSize) {
        isDone = (await tryToSet(this.#deps, node, limits.slice(at, at + batchSize))) && isDone;
      }
      if (isDone) this.#doneAt.set(node.id, performance.now());
    }
  }
}

/** Have the kernel hold the limit of one server that has changed it, or its node. What fails is left to `DiskLimitKeeper`. */
export async function holdDiskLimit(deps: LimitDeps, node: GameNode, server: GameServer): Promise<void> {
  await tryToSet(deps, node, [{ id: server.id, diskMb: server.limits.diskMb }]);
}

async function tryToSet(
  { files, log }: LimitDeps,
  node: GameNode,
  limits: readonly { readonly id: string; readonly diskMb: number }[],
): Promise<boolean> {
  try {
    await files.setDiskLimits(node, limits);
    return true;
  } catch (error) {
    log.warn({ err: error, nodeId: node.id }, 'the disk limits of servers were not sent to their files service');
    return false;
  }
}
