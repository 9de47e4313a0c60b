import type { GetMetricsResponse, GetNodeMetricsResponse } from '@panel/protos/servers';
import type { MetricsRange } from '../domain/metrics/query.js';

/** One list per metric; NaN is a gap. */
export function presentMetrics({
  from,
  to,
  stepSeconds,
  points,
}: MetricsRange): GetMetricsResponse & GetNodeMetricsResponse {
  return {
    fromTime: from,
    toTime: to,
    stepSeconds,
    cpuPercent: points.map(({ cpuPercent }) => cpuPercent),
    memoryBytes: points.map(({ memoryBytes }) => memoryBytes),
    diskBytes: points.map(({ diskBytes }) => diskBytes),
    networkRxBytesPerSecond: points.map(({ networkRxBytesPerSecond }) => networkRxBytesPerSecond),
    networkTxBytesPerSecond: points.map(({ networkTxBytesPerSecond }) => networkTxBytesPerSecond),
  };
}
