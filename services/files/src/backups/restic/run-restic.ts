import path from 'node:path';
import { type AppError, isAppError } from '@panel/kit/errors';
import { fail } from '../../reasons.js';
import { type BackupProgram, outputOf, startProgram } from '../storage/backup-program.js';

export interface ResticConfig {
  /** A directory or a restic location, like s3:https://host/bucket; each server has a repository below it. */
  readonly repository: string;
  readonly password: string;
  /** A bucket needs the keys. */
  readonly environment: {
    readonly AWS_ACCESS_KEY_ID: string;
    readonly AWS_SECRET_ACCESS_KEY: string;
    readonly AWS_DEFAULT_REGION: string;
  };
  /** For caches and linked trees; on the file system of the volumes. */
  readonly workDirectory: string;
}

interface ResticOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  readonly acceptedCodes?: readonly number[];
  readonly bypassesCache?: boolean;
  /** Idle limit; 0: enforced by the caller. */
  readonly idleMs?: number;
}

/**
 * Each start takes 0.5 s to derive the repository key. Throws BACKUP_MISSING (no repository or snapshot),
 * BACKUP_DAMAGED, STORAGE_UNAVAILABLE (repository does not respond or open), DISK_FULL, BACKUP_TOOL_MISSING, and
 * BACKUP_TOOL_FAILED for other local failures.
 */
export interface ResticProgram {
  readonly isLocal: boolean;
  repositoryOf: (serverId: string) => string;
  /** Removes locks of killed processes: this process is the only writer. */
  output(serverId: string, args: readonly string[], options: ResticOptions): AsyncGenerator<Buffer>;
  lines(serverId: string, args: readonly string[], options: ResticOptions): AsyncGenerator<string>;
  run(serverId: string, args: readonly string[], options: ResticOptions): Promise<string[]>;
}

/** Idle limit; then a repository is unavailable. */
const defaultIdleMs = 10 * 60_000;
const maxSaidLines = 50;

export function createResticProgram(config: ResticConfig, idleMs = defaultIdleMs): ResticProgram {
  const isLocal = config.repository.startsWith('/');
  const repositoryOf = (serverId: string) =>
    isLocal ? path.join(config.repository, serverId) : `${config.repository.replace(/\/$/, '')}/${serverId}`;

  const attempt = async function* (
    serverId: string,
    args: readonly string[],
    options: ResticOptions,
    said: string[],
  ): AsyncGenerator<Buffer> {
    const ending = new AbortController();
    const cache =
      isLocal || options.bypassesCache === true
        ? ['--no-cache']
        : // removes caches unused for a month
          ['--cache-dir', path.join(config.workDirectory, 'cache'), '--cleanup-cache'];
    const program = startProgram(['restic', ...cache, ...args], {
      cwd: options.cwd ?? '/',
      acceptedCodes: options.acceptedCodes ?? [0],
      signal: AbortSignal.any([options.signal, ending.signal]),
      env: {
        ...config.environment,
        RESTIC_REPOSITORY: repositoryOf(serverId),
        RESTIC_PASSWORD: config.password,
        RESTIC_PROGRESS_FPS: '2',
      },
      onErrorLine: (line) => {
        // restic would retry for 15 minutes while games need space
        if (/no space left on device|disk quota exceeded/.test(line)) ending.abort(diskFull());
        if (said.length < maxSaidLines && !noise.test(line)) said.push(line);
      },
    });
    program.stdin.end();
    try {
      yield* withIdleTimeout(program, ending, options.idleMs ?? idleMs);
    } catch (error) {
      throw isAppError(error, 'BACKUP_TOOL_FAILED') ? failureOf(said, isLocal, error) : error;
    } finally {
      // the output has no reader, and its files may be removed next
      ending.abort();
      await program.finished.catch(() => undefined);
    }
    // restic 0.14 skips an unreadable snapshot and exits with 0
    if (said.some((line) => line.startsWith('Ignoring "'))) throw failureOf(said, isLocal, undefined);
  };
  const output: ResticProgram['output'] = async function* (serverId, args, options) {
    const said: string[] = [];
    try {
      yield* attempt(serverId, args, options, said);
    } catch (error) {
      // it locks before any output
      if (!said.some((line) => locked.test(line))) throw error;
      for await (const _chunk of attempt(serverId, ['unlock', '--remove-all'], options, [])) {
        // until the end
      }
      yield* attempt(serverId, args, options, []);
    }
  };
  const lines: ResticProgram['lines'] = (...call) => linesOf(output(...call));
  const run: ResticProgram['run'] = async (...call) => {
    const collected: string[] = [];
    for await (const line of lines(...call)) collected.push(line);
    return collected;
  };
  return { isLocal, repositoryOf, output, lines, run };
}

/** Lines of a stack trace start with or lack spaces; retries are announced. */
const noise = /^\s|^\S*$|returned error, retrying after/;
const locked = /already locked/;

/** Before restic 0.17, exit codes are not specific. */
const meanings: readonly [RegExp, (detail: string) => AppError][] = [
  [locked, () => fail('STORAGE_UNAVAILABLE', 'the restic repository is locked')],
  [
    /wrong password or no key found/,
    () => fail('STORAGE_UNAVAILABLE', 'the restic repository does not open with its password'),
  ],
  [
    /unable to open config file.*(no such file|key does not exist)/,
    () => fail('BACKUP_MISSING', 'there is no restic repository of the server'),
  ],
  [/no matching ID found|no snapshot found/, () => fail('BACKUP_MISSING', 'the snapshot is not in its repository')],
  [
    /ciphertext verification failed|invalid data returned|is damaged|hash does not match|not found in (the )?(index|repository)|(data|index|snapshot)\/.*(no such file|key does not exist|EOF)/,
    (detail) => fail('BACKUP_DAMAGED', `the repository of the backup is damaged: ${detail}`),
  ],
];

function failureOf(said: readonly string[], isLocal: boolean, cause: unknown): AppError {
  const text = said.join(' ').replace(/[^\x20-\x7e]+/g, ' ');
  const detail = text.slice(0, 200);
  for (const [pattern, failure] of meanings) if (pattern.test(text)) return failure(detail);
  const message = `restic has failed${detail === '' ? '' : `: ${detail}`}`;
  return isLocal
    ? fail('BACKUP_TOOL_FAILED', message, { program: 'restic' }, { cause })
    : fail('STORAGE_UNAVAILABLE', message, {}, { cause });
}

export function diskFull(): AppError {
  return fail('DISK_FULL', 'the disk of the node is full');
}

async function* withIdleTimeout(
  program: BackupProgram,
  ending: AbortController,
  idleMs: number,
): AsyncGenerator<Buffer> {
  const end = () => ending.abort(fail('STORAGE_UNAVAILABLE', 'the restic repository does not answer'));
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    if (idleMs > 0) timer = setTimeout(end, idleMs);
  };
  restart();
  try {
    for await (const chunk of outputOf(program)) {
      // no timeout for a slow reader
      clearTimeout(timer);
      yield chunk;
      restart();
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}
