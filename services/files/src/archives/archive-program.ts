import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isErrno } from '@panel/kit/errors';
import { fail } from '../reasons.js';

/** Of one program: an untrusted archive decides its reader's memory. */
const limits = ['--as=536870912', '--cpu=3600', '--nofile=64', '--core=0'];
const retainedErrorChars = 4096;
/** Of libarchive for an encrypted archive, endlessly. */
const prompt = /Enter passphrase/;

/** A system program as a filter. */
export interface ArchiveProgram {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** Throws ARCHIVE_INVALID with its error output unless it exits with 0. */
  readonly finished: Promise<void>;
  kill(): void;
}

/**
 * Runs with limits (prlimit of util-linux), without our environment, files or terminal, as `user` if this process is
 * root. Its input is `inputFd` (seekable) or a pipe. Throws ARCHIVE_TOOL_MISSING.
 */
export async function startArchiveProgram(
  command: readonly string[],
  {
    inputFd,
    user,
    environment,
  }: {
    readonly inputFd?: number;
    readonly environment?: Readonly<Record<string, string>>;
    readonly user?: { readonly uid: number; readonly gid: number } | null;
  },
): Promise<ArchiveProgram> {
  const child = spawn('prlimit', [...limits, '--', ...command], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', ...environment },
    stdio: [inputFd ?? 'pipe', 'pipe', 'pipe'],
    // no controlling terminal, hence no passphrase prompts
    detached: true,
    ...user,
  });
  const finished = waitForExit(child, command[0] ?? '');
  // the caller awaits it, or fails earlier
  finished.catch(() => undefined);
  try {
    await once(child, 'spawn');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw missingError('prlimit', error);
    throw error;
  }
  const { stdin, stdout } = child;
  if (!stdout) throw new TypeError('an archive program has no output');
  // an early exit closes the input; `finished` has the error
  stdin?.on('error', () => undefined);
  return { stdin, stdout, finished, kill: () => child.kill('SIGKILL') };
}

async function waitForExit(child: ChildProcess, program: string): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // warnings are no damage, however many
    said = (said + text).slice(-retainedErrorChars);
    if (prompt.test(said)) child.kill('SIGKILL');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  // 127: not executable
  if (code === 127 || /failed to execute/.test(said)) throw missingError(program);
  throw fail('ARCHIVE_INVALID', 'the archive is damaged, encrypted or of an unsupported kind', {
    detail: said.replace(/[^\x20-\x7e]+/g, ' ').slice(-200),
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
