import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import type { NodeDeps } from './dependencies.js';

/** Servers per call. */
const batchSize = 5_000;
const intervalMs = 10 * 60_000;

type LimitDeps = Pick<NodeDeps, 'files' | 'log'>;

/**
 * Sets the kernel quotas of all servers when this replica takes a node and every 10 minutes: covers changes during an
 * outage of the files service, and servers older than their disk's quotas.
 */
export class DiskLimitKeeper {
  /** By node id. */
  readonly #doneAt = new Map<string, number>();
  readonly #deps: LimitDeps & Pick<NodeDeps, 'servers' | 'nodes'>;

  constructor(deps: LimitDeps & Pick<NodeDeps, 'servers' | 'nodes'>) {
    this.#deps = deps;
  }

  /** The next call retries failures. */
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

/** For one server with a new limit or node. `DiskLimitKeeper` retries failures. */
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
