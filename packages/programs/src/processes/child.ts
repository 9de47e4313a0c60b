import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';

export interface ReadyMessage {
  readonly type: 'ready';
  readonly listen: string;
  readonly metrics?: string | undefined;
}

export interface ChildSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  /** Standard output and error; dropped when absent. */
  readonly logFile?: string | undefined;
  /** `message`: a Node child sends ReadyMessage. Otherwise a probe. */
  readonly ready: 'message' | ((signal: AbortSignal) => Promise<void>);
  readonly readyTimeoutMs: number;
  /** Aborts the wait for readiness. */
  readonly signal?: AbortSignal | undefined;
  readonly onMessage?: (message: unknown) => void;
  /** Including the first start. */
  readonly onReady?: () => void;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly hasExited: () => boolean;
  /** Rejects with one line. */
  readonly ready: Promise<ReadyMessage | undefined>;
  readonly lastErrors: () => readonly string[];
}

const retainedErrorLines = 20;

/** As a group leader: a terminal's Ctrl-C reaches only the launcher, and leftovers end with their group. */
export function spawnChild(spec: ChildSpec): Child {
  const isNode = spec.ready === 'message';
  const output = openLog(spec.logFile);
  const child = spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: ['ignore', output, 'pipe', ...(isNode ? (['ipc'] as const) : [])],
  });
  if (typeof output === 'number') closeSync(output);
  const errors = collectErrors(child, spec.logFile);
  let ended = false;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true;
      resolve({ code, signal });
    });
    child.once('error', () => {
      ended = true;
      resolve({ code: null, signal: null });
    });
  });
  if (spec.onMessage) child.on('message', spec.onMessage);
  const ready = whenReady(spec, child, exited, errors);
  return { pid: child.pid ?? 0, exited, hasExited: () => ended, ready, lastErrors: () => errors };
}

/** Without a log on a full disk. */
function openLog(logFile: string | undefined): number | 'ignore' {
  if (logFile === undefined) return 'ignore';
  try {
    return openSync(logFile, 'a', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    return 'ignore';
  }
}

/** Includes leftovers of a group; a missing one is no failure. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalPid(-pid, signal);
}

/** False for a missing process. */
export function signalPid(pid: number, signal: NodeJS.Signals): boolean {
  // 0 and -0 are this process's own group.
  if (pid === 0 || Math.abs(pid) === 1) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

export function describeExit(exit: Exit): string {
  if (exit.signal !== null) return `ended by ${exit.signal}`;
  return exit.code === null ? 'could not be started' : `ended with code ${exit.code}`;
}

async function whenReady(
  spec: ChildSpec,
  child: ChildProcess,
  exited: Promise<Exit>,
  errors: readonly string[],
): Promise<ReadyMessage | undefined> {
  const done = new AbortController();
  const probe = spec.ready;
  const serving = probe === 'message' ? readyMessage(child, done.signal) : probe(done.signal).then(() => undefined);
  const spawnError = new Promise<never>((_, reject) => child.once('error', reject));
  const early = exited.then((exit) => {
    throw new Error([describeExit(exit), ...relevantErrors(errors)].join(': '));
  });
  try {
    return await Promise.race([serving, spawnError, early, giveUp(spec, done.signal)]);
  } finally {
    done.abort();
    for (const loser of [serving, spawnError, early]) loser.catch(() => undefined);
  }
}

/** The last lines without stack frames. */
function relevantErrors(errors: readonly string[]): readonly string[] {
  return errors.filter((line) => !/^\s|^Node\.js v/.test(line)).slice(-2);
}

function readyMessage(child: ChildProcess, signal: AbortSignal): Promise<ReadyMessage> {
  return new Promise((resolve) => {
    const onMessage = (message: unknown): void => {
      if (isReady(message)) resolve(message);
    };
    child.on('message', onMessage);
    signal.addEventListener('abort', () => child.off('message', onMessage));
  });
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

/** Rejects on a time-out or an abort. */
function giveUp({ readyTimeoutMs, signal }: ChildSpec, done: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(new Error('stopped while starting'));
    const timer = setTimeout(() => reject(new Error(`not ready after ${readyTimeoutMs / 1000} s`)), readyTimeoutMs);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    done.addEventListener('abort', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    });
  });
}

/** A full disk loses log lines but must not end the launcher. */
export function appendToLog(logFile: string | undefined, chunk: string): void {
  if (logFile === undefined) return;
  try {
    appendFileSync(logFile, chunk);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

function collectErrors(child: ChildProcess, logFile: string | undefined): string[] {
  const lines: string[] = [];
  let rest = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (chunk: string) => {
    appendToLog(logFile, chunk);
    const parts = (rest + chunk).split('\n');
    rest = (parts.pop() ?? '').slice(-4_000);
    lines.push(...parts.filter((line) => line.trim() !== '').map((line) => line.slice(0, 1_000)));
    lines.splice(0, Math.max(0, lines.length - retainedErrorLines));
  });
  return lines;
}
