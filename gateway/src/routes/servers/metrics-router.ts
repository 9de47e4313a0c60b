import { ConsoleServiceService } from '@panel/protos/servers';
import { one, route, type Route, server } from '../../declaration/route.js';
import { metrics, metricsQuery, metricsRange, presentMetrics } from './metrics-schema.js';

export const metricsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/metrics',
    summary: 'Usage over time: CPU, memory, disk and network',
    access: server(ConsoleServiceService.getMetrics),
    rate: 'general',
    query: metricsQuery,
    response: one(metrics),
    handler: async ({ params, query, services, rpc }) =>
      presentMetrics(await services.console.getMetrics({ serverId: params.id, ...metricsRange(query) }, rpc)),
  }),
];
