import type { Logger } from '@panel/kit';
import type { NodeStore } from '../../models/nodes/node.js';
import type { GameSettings } from '../power/deps.js';

interface TurnDeps {
  readonly nodes: Pick<NodeStore, 'takeTurn' | 'endTurn'>;
  readonly settings: Pick<GameSettings, 'transfersPerNode' | 'workTtlMs'>;
  readonly log: Logger;
}

/**
 * A server's place among the few that are moved from or to a node at a time: on both nodes, or on none. Renewed until it is
 * let go; what a worker that died has held lapses.
 */
export class TransferTurn {
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly deps: TurnDeps,
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

  /** Null while others come first. A server that is down for it already (`isBegun`) waits for nobody. */
  static async take(
    deps: TurnDeps,
    serverId: string,
    nodeIds: readonly string[],
    isBegun: boolean,
  ): Promise<TransferTurn | null> {
    const max = isBegun ? Number.MAX_SAFE_INTEGER : deps.settings.transfersPerNode;
    return (await takeAll(deps, serverId, nodeIds, max)) ? new TransferTurn(deps, serverId, nodeIds) : null;
  }

  /** Renew it no more: it lapses unless the next try takes it up. */
  letGo(): void {
    clearInterval(this.#timer);
  }

  /** Give it to the next one at once. */
  async end(): Promise<void> {
    this.letGo();
    await endAll(this.deps, this.serverId, this.nodeIds);
  }
}

async function takeAll(deps: TurnDeps, serverId: string, nodeIds: readonly string[], max: number): Promise<boolean> {
  const taken: string[] = [];
  // A failed try is repeated after seconds, with the same worker or another.
  const ttlMs = deps.settings.workTtlMs * 2;
  for (const nodeId of nodeIds) {
    if (!(await deps.nodes.takeTurn(nodeId, serverId, { max, ttlMs }))) {
      await endAll(deps, serverId, taken);
      return false;
    }
    taken.push(nodeId);
  }
  return true;
}

async function endAll({ nodes }: TurnDeps, serverId: string, nodeIds: readonly string[]): Promise<void> {
  for (const nodeId of nodeIds) await nodes.endTurn(nodeId, serverId);
}
