import { invalidFields } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { nodeOf } from '../servers/load-server.js';
import { attachLastRun } from '../../console/attach-last-run.js';
import type { ConsoleLine } from '../../console/console-messages.js';

const maxLines = 1_000;
const readMs = 8_000;

export interface ConsoleLinesQuery {
  /** Null: the newest lines. */
  readonly before: number | null;
  readonly limit: number;
}

export interface ConsoleLines {
  /** Oldest first. */
  readonly lines: readonly ConsoleLine[];
  /** Whether there may be older ones. */
  readonly hasMore: boolean;
}

type ConsoleDeps = Pick<ServersContext, 'stores' | 'hub' | 'runtimes' | 'log'>;

/** Lines of a console whose node this replica watches, from what the engine holds of the current run. */
export async function listConsoleLines(
  context: ConsoleDeps,
  server: GameServer,
  { before, limit }: ConsoleLinesQuery,
  signal: AbortSignal,
): Promise<ConsoleLines> {
  await attachLastRun(context, server, await nodeOf(context, server));
  const console = context.hub.find(server.id);
  if (!console) return { lines: [], hasMore: false };
  return console.linesBefore(before ?? Infinity, limit, AbortSignal.any([signal, AbortSignal.timeout(readMs)]));
}

/** Throws INVALID_ARGUMENT with the field. */
export function checkConsoleLinesQuery({ before, limit }: ConsoleLinesQuery): void {
  if (limit < 1 || limit > maxLines) throw invalidFields({ limit: [`must be from 1 to ${maxLines}`] });
  if (before !== null && before < 1) throw invalidFields({ before: ['must be the number of a line'] });
}
