import type { Handler } from '@panel/rpc';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { presentMetrics } from '../../present/metrics.js';
import { readMetrics } from '../../usecases/metrics/read-metrics.js';

/** Any replica answers: what was sampled is in the database within a minute. */
export function getMetrics(context: ServersContext): Handler<ConsoleServiceService['getMetrics']> {
  return async ({ serverId, fromTime, toTime, stepSeconds }, call) => {
    const server = await context.stores.servers.getMetered(serverId);
    requireAccess(server, call);
    if (!server) throw serverNotFound();
    const query = { from: fromTime ?? null, to: toTime ?? null, stepSeconds: stepSeconds ?? null };
    const { metrics } = context.stores;
    return presentMetrics(await readMetrics({ metrics, clock: context.clock }, server.id, query));
  };
}
