import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { CallContext, Connection } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { loadServer, nodeOf } from '../servers/load-server.js';
import { attachLastRun } from '../../console/attach-last-run.js';
import type { ConsoleLine } from '../../console/console-events.js';
import { findReplica } from './find-replica.js';

const maxLines = 1_000;
const readMs = 8_000;

interface ConsoleLinesQuery {
  /** Null: the newest. */
  readonly before: number | null;
  readonly limit: number;
  /** One line, up to 1 MiB. */
  readonly isWhole: boolean;
}

interface ConsoleLines {
  /** Oldest first. */
  readonly lines: readonly ConsoleLine[];
  /** Older ones may exist. */
  readonly hasMore: boolean;
}

type ConsoleDeps = Pick<ServersContext, 'stores' | 'hub' | 'runtimes' | 'log' | 'nodeLeases' | 'replica'>;

/**
 * Console lines of the current run from the engine, or the replica that watches the node. Throws SERVER_NOT_FOUND,
 * SERVER_FORBIDDEN, INVALID_FIELDS, NODE_NOT_WATCHED.
 */
export async function listConsoleLines(
  context: ConsoleDeps,
  serverId: string,
  query: ConsoleLinesQuery,
  call: CallContext,
): Promise<ConsoleLines | { readonly replica: Connection }> {
  const { server } = await loadServer(context, serverId, call);
  checkQuery(query);
  const replica = await findReplica(context, server);
  if (replica) return { replica };
  await attachLastRun(context, server, await nodeOf(context, server));
  const console = context.hub.find(server.id);
  if (!console) return { lines: [], hasMore: false };
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(readMs)]);
  if (query.isWhole) {
    const line = await console.wholeLine(query.before === null ? null : query.before - 1, signal);
    return { lines: line ? [line] : [], hasMore: line !== null && line.sequence > 1 };
  }
  return console.linesBefore(query.before ?? Infinity, query.limit, signal);
}

/** Throws INVALID_ARGUMENT with the field. */
function checkQuery({ before, limit, isWhole }: ConsoleLinesQuery): void {
  if (isWhole && limit !== 1)
    throw invalidFields({ limit: [fieldProblem('out_of_range', 'must be 1: one line is read whole')] });
  if (limit < 1 || limit > maxLines)
    throw invalidFields({ limit: [fieldProblem('out_of_range', `must be from 1 to ${maxLines}`)] });
  if (before !== null && before < 1) throw invalidFields({ before: ['must be the number of a line'] });
}
