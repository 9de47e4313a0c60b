import { readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LogLine } from '../log.js';
import { signalGroup } from '../processes/child.js';
import { pause } from '../processes/pause.js';
import { readJson, writePrivateJson } from './private-file.js';

/*
 * A launcher that is killed cannot stop what it started. Node processes end by themselves when it is gone; others, a
 * redis-server say, are found by the next start in the list kept here. A pid alone proves nothing, because pids are used
 * again: only one whose start time is the noted one is ended.
 */
const schema = z.array(z.object({ pid: z.number().int().positive(), started: z.string() }));
const waitMs = 6_000;

type Noted = z.infer<typeof schema>[number];

/** Notes the processes of this run, replacing what was noted before. */
export function noteProcesses(file: string, pids: readonly number[]): void {
  const noted = pids.flatMap((pid) => {
    const started = startTime(pid);
    return started === undefined ? [] : [{ pid, started }];
  });
  writePrivateJson(file, noted);
}

/** Waits until what an earlier run left has ended, and ends the rest with its process groups. */
export async function endLeftovers(file: string, log: LogLine): Promise<void> {
  const parsed = schema.safeParse(readJson(file));
  if (!parsed.success) return;
  const isRunning = ({ pid, started }: Noted): boolean => startTime(pid) === started;
  const giveUpAt = Date.now() + waitMs;
  const never = new AbortController().signal;
  const left = (): Noted[] => parsed.data.filter(isRunning);
  // Databases first get the chance to close by themselves; a redis-server never would, and has nothing to lose.
  while (left().length > 0 && Date.now() < giveUpAt) {
    for (const { pid } of left()) signalGroup(pid, 'SIGTERM');
    await pause(100, never);
  }
  for (const { pid } of left()) {
    log(`ending process ${pid}, left behind by an earlier start`);
    signalGroup(pid, 'SIGKILL');
  }
  rmSync(file, { force: true });
}

/** Ends what the process runtime's pid files still name. The servers service normally has stopped the games before. */
export function endGames(directory: string, dataRoot: string, log: LogLine): void {
  for (const name of listPidFiles(directory)) {
    const file = path.join(directory, name);
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    if (Number.isInteger(pid) && pid > 1 && isOurs(pid, [directory, dataRoot])) {
      log(`ending a game server that was still running (process ${pid})`);
      signalGroup(pid, 'SIGKILL');
    }
    rmSync(file, { force: true });
  }
}

function listPidFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.pid'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether the process works inside one of our directories or was told about one: a reused pid is neither. */
function isOurs(pid: number, directories: readonly string[]): boolean {
  const facts = `${readProc(pid, 'cmdline') ?? ''}\0${readProc(pid, 'environ') ?? ''}`;
  return directories.some((directory) => facts.includes(directory));
}

function startTime(pid: number): string | undefined {
  const stat = readProc(pid, 'stat');
  // The second field is the program's name in parentheses and may hold anything; field 22 is the start time, field 3 the state.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended, is somebody else's, or this is no Linux.
    return undefined;
  }
}
