import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@panel/kit/errors';
import { ConfigError, type Logger } from '@panel/kit/process';

/** Exceeds a process's stop time. */
const defaultPatienceMs = 15_000;
const retryMs = 200;

/**
 * Exclusive until the returned file is closed or the process dies: a second process would undo running work as
 * interrupted. Waits for a stopping one. Only logs when `flock` or file locks are unavailable. Throws ConfigError.
 */
export async function lockDataRoot(dataRoot: string, log: Logger, patienceMs = defaultPatienceMs): Promise<FileHandle> {
  const file = await openLock(dataRoot);
  try {
    const begin = performance.now();
    for (let tries = 1; (await tryLock(file, log)) === 'held by another'; tries += 1) {
      if (performance.now() - begin > patienceMs) {
        throw new ConfigError([`DATA_ROOT ${dataRoot} is in use by another files process: each needs one of its own`]);
      }
      if (tries === 1) log.warn({ dataRoot }, 'waiting for another files process of this data root to end');
      await wait(retryMs);
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openLock(dataRoot: string): Promise<FileHandle> {
  try {
    await mkdir(dataRoot, { recursive: true, mode: 0o755 });
    return await open(path.join(dataRoot, 'lock'), constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new ConfigError([`DATA_ROOT cannot be used (${messageOf(error)}): this user must be able to write to it`]);
  }
}

/** flock(2) locks the open file, shared with the program. */
async function tryLock(file: FileHandle, log: Logger): Promise<'held' | 'held by another' | 'not held'> {
  const child = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file.fd] });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === 0) return 'held';
    if (code === 1) return 'held by another';
    log.warn({ code }, 'the file system of the data root cannot lock files; never start two files processes on it');
  } catch (error) {
    log.warn({ err: error }, 'the program flock does not run; never start two files processes on one data root');
  }
  return 'not held';
}
