import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { accessTo } from '../../domain/servers/access.js';
import { connectionOf } from '../../usecases/servers/load-server.js';

const maxServers = 100;

/** For lists: two queries at most for all of them, and what their engines answer in time. */
export function batchGetResources(context: ServersContext): Handler<ConsoleServiceService['batchGetResources']> {
  return async ({ serverIds }, { actor }) => {
    if (serverIds.length > maxServers) throw invalidFields({ server_ids: [`must be at most ${maxServers}`] });
    const found = await Promise.all(serverIds.map((serverId) => context.stores.servers.getMetered(serverId)));
    const entries = await Promise.all(
      found.map(async (server) => {
        if (!server || !accessTo(server, actor)) return [];
        const usage = await context.meter.read(server, async () => connectionOf(context, server));
        return [[server.id, usage] as const];
      }),
    );
    return { resourcesByServerId: Object.fromEntries(entries.flat()) };
  };
}
