import { readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type LogLine, signalGroup, signalPid } from '@panel/programs';
import { pause } from '@panel/kit/async';
import { readJson, writePrivateJson } from './private-file.js';

/*
 * For processes of a killed launcher that do not end themselves, such as redis-server. Pids are reused, so the start
 * time must match.
 */
const schema = z.array(z.object({ pid: z.number().int().positive(), started: z.string() }));
const waitMs = 6_000;

type RecordedProcess = z.infer<typeof schema>[number];

/** No-op on a full disk: the next start then waits. */
export function recordProcesses(file: string, pids: readonly number[]): void {
  const noted = pids.flatMap((pid) => {
    const started = startTime(pid);
    return started === undefined ? [] : [{ pid, started }];
  });
  try {
    writePrivateJson(file, noted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Waits, then ends the rest with their process groups. */
export async function killStaleProcesses(file: string, log: LogLine): Promise<void> {
  const parsed = schema.safeParse(readRecorded(file, log));
  if (!parsed.success) {
    rmSync(file, { force: true });
    return;
  }
  const isRunning = ({ pid, started }: RecordedProcess): boolean => startTime(pid) === started;
  const giveUpAt = Date.now() + waitMs;
  const never = new AbortController().signal;
  const left = (): RecordedProcess[] => parsed.data.filter(isRunning);
  // Databases get time to close; redis-server has no data to lose.
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

/** A damaged list's processes end themselves or are detected by their ports. */
function readRecorded(file: string, log: LogLine): unknown {
  const recorded = readJson(file);
  if (recorded === null) log(`${file} is damaged and is written anew`);
  return recorded;
}

/** By pid files (`…/games/<server>.pid`, each a session leader). Normally the servers service has stopped them. */
export function killGames(runDirectory: string, log: LogLine): void {
  const files = readdirSync(runDirectory, { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((file) => /(^|\/)games\/[^/]+\.pid$/.test(file))) {
    const file = path.join(runDirectory, name);
    const leader = Number.parseInt(readFileSync(file, 'utf8'), 10);
    // A reused pid lacks our directory in its command line.
    if (!Number.isInteger(leader) || leader < 2 || !readProc(leader, 'cmdline')?.includes(runDirectory)) continue;
    log(`ending a game server that was still running (process ${leader})`);
    for (const pid of sessionOf(leader)) signalPid(pid, 'SIGKILL');
    rmSync(file, { force: true });
  }
}

function sessionOf(leader: number): number[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return [leader, ...all.filter((pid) => pid !== leader && statOf(pid)?.[3] === `${leader}`)];
}

function startTime(pid: number): string | undefined {
  const fields = statOf(pid);
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

/** From the third field on (state, parent, group, session, …); the second may hold anything. */
function statOf(pid: number): string[] | undefined {
  const stat = readProc(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // Ended, another user's, or not Linux.
    return undefined;
  }
}
