import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isErrno } from '@panel/kit/errors';
import { fail } from '../reasons.js';

/**
 * Address space, processor time and open files of one program: archives are untrusted input, and declare themselves how much
 * memory it takes to read them.
 */
const limits = ['--as=536870912', '--cpu=3600', '--nofile=64', '--core=0'];
const maxErrorBytes = 4096;

/** A program of the distribution that transforms its standard input to its standard output. */
export interface ArchiveProgram {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** Resolves when it has exited with 0. Throws ARCHIVE_INVALID with what it said otherwise. */
  readonly finished: Promise<void>;
  kill(): void;
}

/**
 * Start a program under limits (prlimit of util-linux), without environment, files or a terminal, and as `user` when this
 * process is root. Its input is `input`, a file it may seek in, or a pipe. Throws ARCHIVE_TOOL_MISSING.
 */
export async function startArchiveProgram(
  command: readonly string[],
  {
    inputFd,
    user,
  }: { readonly inputFd?: number; readonly user?: { readonly uid: number; readonly gid: number } | null },
): Promise<ArchiveProgram> {
  const child = spawn('prlimit', [...limits, '--', ...command], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
    stdio: [inputFd ?? 'pipe', 'pipe', 'pipe'],
    // no controlling terminal: a program must not ask for a passphrase there
    detached: true,
    ...user,
  });
  const finished = waitForExit(child, command[0] ?? '');
  // awaited by the caller, who may first fail otherwise
  finished.catch(() => undefined);
  try {
    await once(child, 'spawn');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw missingError('prlimit', error);
    throw error;
  }
  const { stdin, stdout } = child;
  if (!stdout) throw new TypeError('an archive program has no output');
  // a program that exits early closes its input; `finished` tells why
  stdin?.on('error', () => undefined);
  return { stdin, stdout, finished, kill: () => child.kill('SIGKILL') };
}

async function waitForExit(child: ChildProcess, program: string): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    // libarchive prompts for the passphrase of an encrypted archive in an endless loop
    if (said.length > maxErrorBytes) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  // 127: prlimit could not execute it
  if (code === 127 || /failed to execute/.test(said)) throw missingError(program);
  throw fail('ARCHIVE_INVALID', 'the archive is damaged, encrypted or of an unsupported kind', {
    detail: said.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200),
  });
}

function missingError(program: string, cause?: unknown) {
  return fail(
    'ARCHIVE_TOOL_MISSING',
    `this node cannot handle such archives: ${program} is not installed`,
    {},
    { cause },
  );
}
