import type { Logger } from '@panel/kit/process';
import type { NodeStore } from '../models/nodes/node.js';
import type { GameSettings } from '../games/deps.js';

interface SlotDeps {
  readonly nodes: Pick<NodeStore, 'acquireSlot' | 'releaseSlot'>;
  readonly settings: Pick<GameSettings, 'transfersPerNode' | 'workTtlMs'>;
  readonly log: Logger;
}

/**
 * A server's place among the few that are moved from or to a node at a time: on both nodes, or on none. Renewed until it is
 * let go; what a worker that died has held lapses.
 */
export class TransferSlot {
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly deps: SlotDeps,
    private readonly serverId: string,
    private readonly nodeIds: readonly string[],
  ) {
    this.#timer = setInterval(
      () => {
        takeAll(deps, serverId, nodeIds, Number.MAX_SAFE_INTEGER).catch((error: unknown) =>
          deps.log.warn({ err: error, serverId }, 'the turn of a transfer was not renewed'),
        );
      },
      Math.floor(deps.settings.workTtlMs / 3),
    ).unref();
  }

  /** Null while others come first. A server that is down for it already (`hasStarted`) waits for nobody. */
  static async take(
    deps: SlotDeps,
    serverId: string,
    nodeIds: readonly string[],
    hasStarted: boolean,
  ): Promise<TransferSlot | null> {
    const max = hasStarted ? Number.MAX_SAFE_INTEGER : deps.settings.transfersPerNode;
    return (await takeAll(deps, serverId, nodeIds, max)) ? new TransferSlot(deps, serverId, nodeIds) : null;
  }

  /** Renew it no more: it lapses unless the next try takes it up. */
  release(): void {
    clearInterval(this.#timer);
  }

  /** Give it to the next one at once. */
  async end(): Promise<void> {
    this.release();
    await endAll(this.deps, this.serverId, this.nodeIds);
  }
}

async function takeAll(deps: SlotDeps, serverId: string, nodeIds: readonly string[], max: number): Promise<boolean> {
  const taken: string[] = [];
  // A failed try is repeated after seconds, with the same worker or another.
  const ttlMs = deps.settings.workTtlMs * 2;
  for (const nodeId of nodeIds) {
    if (!(await deps.nodes.acquireSlot(nodeId, serverId, { max, ttlMs }))) {
      await endAll(deps, serverId, taken);
      return false;
    }
    taken.push(nodeId);
  }
  return true;
}

async function endAll({ nodes }: SlotDeps, serverId: string, nodeIds: readonly string[]): Promise<void> {
  for (const nodeId of nodeIds) await nodes.releaseSlot(nodeId, serverId);
}
