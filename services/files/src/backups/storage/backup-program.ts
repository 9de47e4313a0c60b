import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { finished as ended, type Readable, type Writable } from 'node:stream';
import { fail } from '../../reasons.js';

const maxErrorBytes = 8 * 1024;

export interface BackupProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves on an accepted exit code. Throws BACKUP_TOOL_FAILED, BACKUP_TOOL_MISSING. */
  readonly finished: Promise<void>;
}

interface ProgramOptions {
  /** File descriptor 3. */
  readonly fd?: number;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number } | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Name in errors; default: the command. */
  readonly label?: string;
  /** Called per line of stderr. */
  readonly onErrorLine?: (line: string) => void;
  readonly acceptedCodes?: readonly number[];
}

/** Low priority (games go first), no environment; an abort kills it. */
export function startProgram(command: readonly string[], options: ProgramOptions): BackupProgram {
  const { fd, cwd = '/', user, env = {}, signal, acceptedCodes = [0] } = options;
  const child = spawn('nice', ['-n', '10', ...command], {
    cwd,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', ...env },
    stdio: fd === undefined ? ['pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe', fd],
    detached: true,
    ...user,
  });
  const finished = waitForExit(child, options.label ?? command[0] ?? '', { acceptedCodes, ...options });
  // the caller awaits it, or fails earlier
  finished.catch(() => undefined);
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  child.once('close', () => signal.removeEventListener('abort', kill));
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new TypeError('a program was started without pipes');
  // an early exit closes the input; `finished` has the error
  stdin.on('error', () => undefined);
  return { stdin, stdout, finished };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // already exited
  }
}

async function waitForExit(
  child: ChildProcess,
  program: string,
  { signal, onErrorLine, acceptedCodes = [0] }: ProgramOptions,
): Promise<void> {
  let said = '';
  let line = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (line + text).split('\n');
    line = (lines.pop() ?? '').slice(0, maxErrorBytes);
    for (const one of lines) {
      if (onErrorLine) onErrorLine(one);
    }
    if (!text.startsWith('#')) said = (said + text).slice(-maxErrorBytes);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  signal.throwIfAborted();
  if (code !== null && acceptedCodes.includes(code)) return;
  // 127: nice failed to execute it
  if (code === 127) throw fail('BACKUP_TOOL_MISSING', `${program} is not installed on this node`, { program });
  const detail = said
    .split('\n')
    .filter((one) => one !== '' && !one.includes('#'))
    .join(' ')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(-300);
  if (/no space left|disk quota/i.test(detail)) throw fail('DISK_FULL', 'the disk of the node is full');
  throw fail('BACKUP_TOOL_FAILED', `${program} has failed${detail === '' ? '' : `: ${detail}`}`, { program });
}

/** An early end kills the program. */
export async function* outputOf({ stdout, finished }: BackupProgram): AsyncGenerator<Buffer> {
  for await (const chunk of stdout) yield chunk as Buffer;
  await finished;
}

/** Stops early when the program stops reading; `finished` has its error. */
export async function feedProgram({ stdin }: BackupProgram, content: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of content) {
      if (stdin.destroyed) return;
      if (!stdin.write(chunk)) await drained(stdin);
    }
    stdin.end();
  } catch (error) {
    stdin.destroy();
    throw error;
  }
}

async function drained(stream: NodeJS.WritableStream): Promise<void> {
  const abort = new AbortController();
  try {
    await Promise.race([
      once(stream, 'drain', { signal: abort.signal }),
      new Promise<void>((resolve) => ended(stream as never, { signal: abort.signal }, () => resolve())),
    ]);
  } finally {
    abort.abort();
  }
}

export async function hasProgram(program: string, signal: AbortSignal): Promise<boolean> {
  const { stdin, stdout, finished } = startProgram([program, '--version'], { signal });
  stdin.end();
  stdout.resume();
  return finished.then(
    () => true,
    () => false,
  );
}
