import { isAppError } from '@panel/kit/errors';
import { type BackupCommands, backupCommandsOf } from '../domain/eggs/backup-commands.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer } from '../domain/servers/server.js';
import type { OperationDeps } from './operation.js';

type SavePauseDeps = Pick<OperationDeps, 'servers' | 'runtimes' | 'hub'>;

/** Afterwards the backup runs without the game's answer. */
const defaultAnswerMs = 30_000;

/** A game's save and write pause around a backup. */
interface SavePause {
  /** Resolves at the answer or a timeout; skips a stopped game. */
  begin(signal: AbortSignal): Promise<void>;
  /** Idempotent: repeats the command. Throws NODE_UNREACHABLE: retry. */
  end(): Promise<void>;
}

/** Null: the egg has no backup commands. */
export function createSavePause(
  deps: SavePauseDeps,
  server: GameServer,
  node: GameNode,
  answerMs = defaultAnswerMs,
): SavePause | null {
  const commands = backupCommandsOf(server.egg.features);
  if (!commands) return null;
  const runtime = deps.runtimes.of(node);
  const send = async (lines: readonly string[]) => {
    for (const line of lines) await runtime.writeInput(server.id, `${line}\n`);
  };
  return {
    begin: async (signal) => {
      if ((await deps.servers.get(server.id))?.power.state !== 'running') return;
      await ignoreUnavailable(async () => pause(deps, server.id, commands, send, signal, answerMs));
    },
    end: async () => ignoreUnavailable(async () => send(commands.after)),
  };
}

async function pause(
  { hub }: SavePauseDeps,
  serverId: string,
  { before, ready }: BackupCommands,
  send: (lines: readonly string[]) => Promise<void>,
  signal: AbortSignal,
  answerMs: number,
): Promise<void> {
  const console = hub.console(serverId);
  if (ready === null || before.length === 0) return send(before);
  const stop = new AbortController();
  // Before the commands: the answer may come at once.
  const answer = console.waitForLine(ready, answerMs, AbortSignal.any([signal, stop.signal]));
  try {
    await send(before);
    if (await answer) return;
    console.notice(`the game has not answered with "${ready}": the backup is made all the same`);
  } finally {
    stop.abort();
  }
}

/** A stopped game has nothing to save. */
async function ignoreUnavailable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error, 'INSTANCE_NOT_FOUND')) throw error;
  }
}
