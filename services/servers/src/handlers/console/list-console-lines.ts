import type { Handler } from '@panel/rpc';
import { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { findWatcher } from '../../usecases/console/find-watcher.js';
import { checkConsoleLinesQuery, listConsoleLines as list } from '../../usecases/console/list-console-lines.js';
import { loadServer } from '../../usecases/servers/load-server.js';

/** Served by the replica that watches the server's node; any other one passes the call on with the caller's own actor. */
export function listConsoleLines(context: ServersContext): Handler<ConsoleServiceService['listConsoleLines']> {
  return async (request, call) => {
    const { server } = await loadServer(context, request.serverId, call);
    const query = { before: request.beforeSequence ?? null, limit: request.limit };
    checkConsoleLinesQuery(query);
    const address = await findWatcher(context, server);
    if (address !== null)
      return context.replica(address).client(ConsoleServiceService).listConsoleLines(request, { parent: call });
    const { lines, hasMore } = await list(context, server, query, call.signal);
    return { lines: lines.map(({ sequence, text, at }) => ({ sequence, text, time: at })), hasMore };
  };
}
