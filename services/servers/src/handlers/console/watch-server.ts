import { isAppError } from '@panel/kit/errors';
import { ConsoleServiceService, type WatchServerRequest, type WatchServerResponse } from '@panel/protos/servers';
import type { CallContext, Connection, Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentConsoleEvent } from '../../present/console-event.js';
import { watchServer } from '../../usecases/console/watch-server.js';

/** Other replicas than the node's watcher forward the call with its actor. */
export function handleWatchServer(context: ServersContext): Handler<ConsoleServiceService['watchServer']> {
  return async function* watch(request, call) {
    const watched = await watchServer(context, request, call);
    if (watched.replica) {
      yield* passOn(watched.replica, request, call);
      return;
    }
    try {
      for await (const events of watched.subscriber.batches(call.signal))
        yield { events: events.map(presentConsoleEvent) };
    } finally {
      watched.leave();
    }
  };
}

async function* passOn(
  replica: Connection,
  request: WatchServerRequest,
  call: CallContext,
): AsyncGenerator<WatchServerResponse> {
  try {
    yield* replica.client(ConsoleServiceService).watchServer(request, { parent: call });
  } catch (error) {
    const isGone = isAppError(error) && (error.kind === 'unavailable' || error.kind === 'cancelled');
    if (call.signal.aborted || !isGone) throw error;
    call.log.info({ err: error, serverId: request.serverId }, 'the replica that watches the node has gone');
    yield { events: [presentConsoleEvent({ kind: 'ended', reason: 'restarting' })] };
  }
}
