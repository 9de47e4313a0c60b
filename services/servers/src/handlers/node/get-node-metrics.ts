import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentMetrics } from '../../present/metrics.js';
import { getNodeMetrics } from '../../usecases/metrics/get-metrics.js';
import { readMetricsQuery } from '../read-request.js';

/** Any replica answers: what was sampled is in the database within a minute. */
export function handleGetNodeMetrics(context: ServersContext): Handler<NodeServiceService['getNodeMetrics']> {
  return async ({ nodeId, ...range }) => {
    return presentMetrics(await getNodeMetrics(context, nodeId, readMetricsQuery(range)));
  };
}
