import type { NodeServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentMetrics } from '../../present/metrics.js';
import { getNodeMetrics } from '../../usecases/metrics/get-metrics.js';
import { readMetricsQuery } from '../read-request.js';

/** On any replica; at most a minute behind. */
export function handleGetNodeMetrics(context: ServersContext): Handler<NodeServiceService['getNodeMetrics']> {
  return async ({ nodeId, ...range }) => {
    return presentMetrics(await getNodeMetrics(context, nodeId, readMetricsQuery(range)));
  };
}
