import { meanOf } from '../domain/metrics/point.js';
import { minuteTier, quarterTier, stepOf } from '../domain/metrics/tiers.js';
import type { MetricsStore } from '../models/metrics/metrics.js';
import type { ServerStore } from '../models/servers/server.js';

/** For late samples. */
const graceMs = 90_000;
/** Exceeds the gap between two watchers of a node. */
const maxBehind = 2;
const serversAtOnce = 500;

interface RollUpDeps {
  readonly clock: () => Date;
  readonly metrics: MetricsStore;
  readonly servers: Pick<ServerStore, 'idsOfNode'>;
}

/** Minutes to quarters of an hour. */
export class MetricsRollUp {
  /** By node id. */
  readonly #done = new Map<string, number>();

  constructor(private readonly deps: RollUpDeps) {}

  async tick(nodeIds: readonly string[]): Promise<void> {
    const last = stepOf(quarterTier, this.deps.clock().getTime() - graceMs) - 1;
    for (const nodeId of this.#done.keys()) if (!nodeIds.includes(nodeId)) this.#done.delete(nodeId);
    for (const nodeId of nodeIds) {
      const done = Math.max(this.#done.get(nodeId) ?? -Infinity, last - maxBehind);
      if (done >= last) continue;
      const ids = [...(await this.deps.servers.idsOfNode(nodeId)), nodeId];
      for (let quarter = done + 1; quarter <= last; quarter++) await rollUpQuarter(this.deps, ids, quarter);
      this.#done.set(nodeId, last);
    }
  }
}

/** Idempotent. */
async function rollUpQuarter(
  { metrics }: Pick<RollUpDeps, 'metrics'>,
  ids: readonly string[],
  quarter: number,
): Promise<void> {
  const minutes = quarterTier.stepMs / minuteTier.stepMs;
  const range = { firstStep: quarter * minutes, lastStep: (quarter + 1) * minutes - 1 };
  for (let from = 0; from < ids.length; from += serversAtOnce) {
    const found = await metrics.read(ids.slice(from, from + serversAtOnce), minuteTier, range);
    const known = [...found].filter(([, points]) => points.size > 0);
    await metrics.write(
      known.map(([serverId, points]) => ({
        serverId,
        tier: quarterTier,
        points: new Map([[quarter, meanOf([...points.values()])]]),
      })),
    );
  }
}
