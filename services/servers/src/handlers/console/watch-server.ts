import type { CallContext, Handler } from '@panel/rpc';
import { invalidFields, isAppError } from '@panel/kit/errors';
import { ConsoleServiceService, WatchEnded_Reason, type WatchServerResponse } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { findWatcher } from '../../usecases/console/find-watcher.js';
import { subscribeConsole } from '../../usecases/console/subscribe-console.js';
import { loadServer } from '../../usecases/servers/load-server.js';

const maxHistory = 1000;

/**
 * What a socket shows of a server. Served by the replica that watches the server's node; any other one passes the call on
 * to it with the caller's own actor.
 */
export function watchServer(context: ServersContext): Handler<ConsoleServiceService['watchServer']> {
  return async function* watch(request, call) {
    const { server } = await loadServer(context, request.serverId, call);
    if (request.historyLines < 0 || request.historyLines > maxHistory) {
      throw invalidFields({ history_lines: [`must be from 0 to ${maxHistory}`] });
    }
    if (server.suspended) throw fail('SERVER_SUSPENDED', 'the server is suspended');
    const address = await findWatcher(context, server);
    if (address === null) yield* watchLocally(context, server, request.historyLines, call);
    else yield* watchRemotely(context, address, request, call);
  };
}

async function* watchLocally(
  context: ServersContext,
  server: GameServer,
  historyLines: number,
  { actor, signal }: CallContext,
): AsyncGenerator<WatchServerResponse> {
  const { subscriber, leave } = await subscribeConsole(context, actor, server, historyLines);
  try {
    for await (const events of subscriber.batches(signal)) yield { events };
  } finally {
    leave();
  }
}

async function* watchRemotely(
  context: ServersContext,
  address: string,
  request: { serverId: string; historyLines: number },
  call: CallContext,
): AsyncGenerator<WatchServerResponse> {
  const client = context.replica(address).client(ConsoleServiceService);
  try {
    yield* client.watchServer(request, { parent: call });
  } catch (error) {
    const isGone = isAppError(error) && (error.kind === 'unavailable' || error.kind === 'cancelled');
    if (call.signal.aborted || !isGone) throw error;
    call.log.info({ err: error, address }, 'the replica that watches the node has gone');
    yield restarting();
  }
}

function restarting(): WatchServerResponse {
  return { events: [{ event: { $case: 'ended', value: { reason: WatchEnded_Reason.RESTARTING } } }] };
}
