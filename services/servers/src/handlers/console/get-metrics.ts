import type { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentMetrics } from '../../present/metrics.js';
import { getMetrics } from '../../usecases/metrics/get-metrics.js';
import { readMetricsQuery } from '../read-request.js';

/** On any replica; at most a minute behind. */
export function handleGetMetrics(context: ServersContext): Handler<ConsoleServiceService['getMetrics']> {
  return async ({ serverId, ...range }, call) => {
    return presentMetrics(await getMetrics(context, serverId, readMetricsQuery(range), call));
  };
}
