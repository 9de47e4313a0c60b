import type { Actor } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { nodeOf } from '../servers/load-server.js';
import { attachLastRun } from '../../console/attach-last-run.js';
import type { Subscriber } from '../../console/subscriber.js';

/** Watch the console of a server whose node this replica watches; the caller calls `leave` when it is done. */
export async function subscribeConsole(
  context: Pick<ServersContext, 'stores' | 'hub' | 'runtimes' | 'log' | 'reviewConsolesNow'>,
  actor: Actor,
  server: GameServer,
  historyLines: number,
): Promise<{ subscriber: Subscriber; leave: () => void }> {
  await attachLastRun(context, server, await nodeOf(context, server));
  const subscription = await context.hub.subscribe(actor, server, historyLines);
  context.reviewConsolesNow();
  return subscription;
}
