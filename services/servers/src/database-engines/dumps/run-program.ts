import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fail } from '../../reasons.js';

/** Credentials are in the environment, never in arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Memory in bytes, CPU time in seconds. */
const limits = [`--as=${2 * 1024 ** 3}`, '--cpu=3600', '--core=0'];
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const retainedErrorChars = 1_000;

/** Throws DATABASE_DUMP_FAILED, and the reason of `signal`; an early return ends the program. */
export async function* readProgram(program: Program, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { child, errors } = start(program, signal);
  child.stdin.end();
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    await succeeded(child, program, errors, signal);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Errors of `input` are thrown before EOF; else as `readProgram`. */
export async function feedProgram(program: Program, input: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  const { child, errors } = start(program, signal);
  child.stdout.resume();
  const closed = new AbortController();
  // The exit reports the error.
  child.stdin.on('error', () => closed.abort());
  child.once('exit', () => closed.abort());
  try {
    for await (const chunk of input) {
      if (closed.signal.aborted) break;
      if (!child.stdin.write(chunk)) await once(child.stdin, 'drain', { signal: closed.signal }).catch(() => undefined);
    }
    child.stdin.end();
    await succeeded(child, program, errors, signal);
  } finally {
    child.kill('SIGKILL');
  }
}

function start({ command, args, env }: Program, signal: AbortSignal): { child: Child; errors: () => string } {
  const child = spawn('prlimit', [...limits, '--', command, ...args], {
    env: { PATH: path, LC_ALL: 'C', HOME: '/nonexistent', ...env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-retainedErrorChars);
  });
  // The exit reports the error.
  child.on('error', () => undefined);
  return { child, errors: () => text };
}

async function succeeded(child: Child, { command }: Program, errors: () => string, signal: AbortSignal): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    // Rejects after a kill by the signal.
    await once(child, 'close').catch(() => undefined);
  }
  signal.throwIfAborted();
  if (child.exitCode === 0) return;
  const output = errors().trim();
  throw fail('DATABASE_DUMP_FAILED', `${command} failed`, { output: output || `ended by ${child.signalCode}` });
}
