import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { CallContext, Connection } from '@panel/rpc';
import { attachLastRun } from '../../console/attach-last-run.js';
import type { Subscriber } from '../../console/subscriber.js';
import type { ServersContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { loadServer, nodeOf } from '../servers/load-server.js';
import { findReplica } from './find-replica.js';

const maxHistory = 1_000;

/** The node's watcher; null: this replica, and the caller calls `leave` at its end. */
type ConsoleWatch =
  | { readonly replica: Connection }
  | { readonly replica: null; readonly subscriber: Subscriber; readonly leave: () => void };

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, INVALID_FIELDS, SERVER_SUSPENDED, NODE_NOT_WATCHED. */
export async function watchServer(
  context: Pick<ServersContext, 'stores' | 'hub' | 'runtimes' | 'log' | 'reviewConsolesNow' | 'nodeLeases' | 'replica'>,
  { serverId, historyLines }: { readonly serverId: string; readonly historyLines: number },
  call: CallContext,
): Promise<ConsoleWatch> {
  const { server } = await loadServer(context, serverId, call);
  if (historyLines < 0 || historyLines > maxHistory) {
    throw invalidFields({ history_lines: [fieldProblem('out_of_range', `must be from 0 to ${maxHistory}`)] });
  }
  if (server.suspended) throw fail('SERVER_SUSPENDED', 'the server is suspended');
  const replica = await findReplica(context, server);
  if (replica) return { replica };
  await attachLastRun(context, server, await nodeOf(context, server));
  const subscription = await context.hub.subscribe(call.actor, server, historyLines);
  context.reviewConsolesNow();
  return { replica, ...subscription };
}
