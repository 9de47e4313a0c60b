import { type Handler } from '@panel/rpc';
import type { NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentMetrics } from '../../present/metrics.js';
import { readMetrics } from '../../usecases/metrics/read-metrics.js';
import { loadNode } from '../../usecases/nodes/load-node.js';

/** Any replica answers: what was sampled is in the database within a minute. */
export function getNodeMetrics({ stores, clock }: ServersContext): Handler<NodeServiceService['getNodeMetrics']> {
  return async ({ nodeId, fromTime, toTime, stepSeconds }) => {
    const { id } = await loadNode(stores, nodeId);
    const query = { from: fromTime ?? null, to: toTime ?? null, stepSeconds: stepSeconds ?? null };
    return presentMetrics(await readMetrics({ metrics: stores.metrics, clock }, id, query));
  };
}
