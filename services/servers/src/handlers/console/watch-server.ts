import type { CallContext, Handler } from '@panel/rpc';
import { invalidFields, isAppError } from '@panel/kit';
import { ConsoleServiceService, WatchEnded_Reason, type WatchServerResponse } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer, nodeOf } from '../../usecases/servers/load-server.js';

const maxHistory = 1000;

/**
 * What a socket shows of a server. Served by the replica that watches the server's node; any other one passes the call on
 * to it with the caller's own actor.
 */
export function watchServer(context: ServersContext): Handler<ConsoleServiceService['watchServer']> {
  return async function* watch(request, call) {
    const { server } = await loadServer(context, request.serverId, call.actor, 'websocket.connect');
    if (request.historyLines < 0 || request.historyLines > maxHistory) {
      throw invalidFields({ history_lines: [`must be from 0 to ${maxHistory}`] });
    }
    if (server.suspended) throw fail('SERVER_SUSPENDED', 'the server is suspended');
    const holder = await holderOf(context, server);
    if (holder === 'here') yield* watchHere(context, server, request.historyLines, call);
    else yield* watchThere(context, holder, request, call);
  };
}

/** "here", or the address of the replica that watches the node. A node nobody watches is taken. */
async function holderOf(context: ServersContext, server: GameServer): Promise<string> {
  const { leases } = context.engine;
  if (!leases) throw fail('NODE_NOT_WATCHED', 'this process is starting');
  if (leases.owns(server.nodeId)) return 'here';
  const holder = await context.stores.leases.holder(server.nodeId);
  if (holder && !leases.isOwnAddress(holder.address)) return holder.address;
  if (await leases.take(await nodeOf(context, server))) return 'here';
  throw fail('NODE_NOT_WATCHED', 'the node of this server changes hands');
}

async function* watchHere(
  context: ServersContext,
  server: GameServer,
  historyLines: number,
  { actor, signal }: CallContext,
): AsyncGenerator<WatchServerResponse> {
  const { engine } = context;
  await engine.attachLastRun(server, await nodeOf(context, server));
  const { subscriber, leave } = await engine.hub.subscribe(actor, server, historyLines);
  engine.reviewNow();
  try {
    for await (const events of subscriber.batches(signal)) yield { events };
  } finally {
    leave();
  }
}

async function* watchThere(
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
