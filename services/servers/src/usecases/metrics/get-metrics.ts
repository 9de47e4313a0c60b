import { invalidFields } from '@panel/kit/errors';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { type MetricsPoint, unknownPoint } from '../../domain/metrics/point.js';
import { minuteTier, type Tier, tierFor, tiers } from '../../domain/metrics/tiers.js';
import type { MetricsStore } from '../../models/metrics/metrics.js';
import { loadNode } from '../nodes/get-node.js';
import { loadMetered } from '../servers/load-server.js';

const defaultRangeMs = 60 * minuteTier.stepMs;
/** As many as the longest tier holds. */
const maxPoints = 8_640;

export interface MetricsQuery {
  readonly from: Date | null;
  readonly to: Date | null;
  /** Null: the finest that holds the range. */
  readonly stepSeconds: number | null;
}

/** Points at equal distances from `from` on, unknown ones included. */
export interface MetricsRange {
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
  readonly points: readonly MetricsPoint[];
}

type MetricsDeps = Pick<ServersContext, 'stores' | 'clock'>;

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, and as `readMetrics`. */
export async function getMetrics(
  { stores, clock }: MetricsDeps,
  serverId: string,
  query: MetricsQuery,
  caller: Caller,
): Promise<MetricsRange> {
  const { id } = await loadMetered(stores, serverId, caller);
  return readMetrics({ metrics: stores.metrics, clock }, id, query);
}

/** Throws NODE_NOT_FOUND, and as `readMetrics`. */
export async function getNodeMetrics(
  { stores, clock }: MetricsDeps,
  nodeId: string,
  query: MetricsQuery,
): Promise<MetricsRange> {
  const { id } = await loadNode(stores, nodeId);
  return readMetrics({ metrics: stores.metrics, clock }, id, query);
}

/** The history of the usage of a server, or of all that ran on a node. Throws INVALID_ARGUMENT with the field. */
export async function readMetrics(
  { metrics, clock }: { readonly metrics: MetricsStore; readonly clock: () => Date },
  id: string,
  query: MetricsQuery,
): Promise<MetricsRange> {
  const now = clock().getTime();
  const toMs = Math.min(query.to?.getTime() ?? now, now);
  const fromMs = query.from?.getTime() ?? toMs - defaultRangeMs;
  if (fromMs >= toMs) throw invalidFields({ from: ['must be before to, and in the past'] });
  const tier = query.stepSeconds === null ? tierFor(fromMs, now) : tierOfStep(query.stepSeconds);
  const lastStep = Math.ceil(toMs / tier.stepMs) - 1;
  // As many steps as fit the range, wherever in a step it begins.
  const count = Math.ceil((toMs - fromMs) / tier.stepMs);
  const firstStep = lastStep - count + 1;
  if (count > maxPoints) throw invalidFields({ from: [`must be at most ${maxPoints} steps before to`] });
  const found = (await metrics.read([id], tier, { firstStep, lastStep })).get(id);
  return {
    from: new Date(firstStep * tier.stepMs),
    to: new Date((lastStep + 1) * tier.stepMs),
    stepSeconds: tier.stepMs / 1_000,
    points: Array.from({ length: count }, (_, index) => found?.get(firstStep + index) ?? unknownPoint),
  };
}

function tierOfStep(stepSeconds: number): Tier {
  const tier = tiers.find(({ stepMs }) => stepMs === stepSeconds * 1_000);
  if (!tier) throw invalidFields({ step: ['must be 10, 60 or 900'] });
  return tier;
}
