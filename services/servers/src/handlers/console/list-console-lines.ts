import { ConsoleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { listConsoleLines } from '../../usecases/console/list-console-lines.js';

/** Other replicas than the node's watcher forward the call with its actor. */
export function handleListConsoleLines(context: ServersContext): Handler<ConsoleServiceService['listConsoleLines']> {
  return async (request, call) => {
    const { beforeSequence = null, limit, isWhole = false } = request;
    const query = { before: beforeSequence, limit, isWhole };
    const found = await listConsoleLines(context, request.serverId, query, call);
    if ('replica' in found)
      return found.replica.client(ConsoleServiceService).listConsoleLines(request, { parent: call });
    const lines = found.lines.map(({ sequence, text, at }) => ({ sequence, text, time: at }));
    return { lines, hasMore: found.hasMore };
  };
}
