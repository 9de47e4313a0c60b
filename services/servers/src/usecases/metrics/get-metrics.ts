import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { unknownPoint } from '../../domain/metrics/point.js';
import { type MetricsQuery, type MetricsRange, metricsSteps } from '../../domain/metrics/query.js';
import type { MetricsStore } from '../../models/metrics/metrics.js';
import { loadNode } from '../nodes/get-node.js';
import { loadMetered } from '../servers/load-server.js';

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

/** Usage of a server, or of all games of a node. Throws INVALID_ARGUMENT with the field. */
export async function readMetrics(
  { metrics, clock }: { readonly metrics: MetricsStore; readonly clock: () => Date },
  id: string,
  query: MetricsQuery,
): Promise<MetricsRange> {
  const { tier, firstStep, lastStep, count } = metricsSteps(query, clock());
  const found = (await metrics.read([id], tier, { firstStep, lastStep })).get(id);
  return {
    from: new Date(firstStep * tier.stepMs),
    to: new Date((lastStep + 1) * tier.stepMs),
    stepSeconds: tier.stepMs / 1_000,
    points: Array.from({ length: count }, (_, index) => found?.get(firstStep + index) ?? unknownPoint),
  };
}
