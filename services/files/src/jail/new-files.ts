import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { assertNever } from '@panel/kit/errors';
import type { Segments } from '../domain/path.js';
import type { NewFileJob, NewFileResponse } from './new-file-thread.js';
import { type OpenFile, openFileOf } from './open-file.js';
import type { Owner } from './owner.js';

interface NewFile {
  readonly parents: Segments;
  readonly name: Buffer;
  /** O_WRONLY or O_RDWR. */
  readonly flags: number;
  readonly mode: number;
}

/** For many small files. */
export interface NewFiles {
  /**
   * Follows no link. Null on failure; then nothing was created. Throws errors of chown(2) and chmod(2). The caller
   * closes the file.
   */
  create(root: FileHandle, file: NewFile): Promise<OpenFile | null>;
}

/** Bounds requests on a hanging disk; others take the slow path. */
const maxWaiting = 4;
const defaultIdleMs = 10_000;

/**
 * The thread makes all system calls of a creation: through Node's pool they cost several times more (bench/HISTORY.md).
 * It ends when idle.
 */
export function createNewFiles(owner: Owner, idleMs = defaultIdleMs): NewFiles {
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  const waiting = new Map<number, (response: NewFileResponse) => void>();
  const start = () => {
    // the caller owns the descriptors, which outlive the thread
    const started = new Worker(new URL('./new-file-thread.js', import.meta.url), { env: {}, trackUnmanagedFds: false });
    started.unref();
    started.on('message', (response: NewFileResponse) => waiting.get(response.id)?.(response));
    started.on('error', () => undefined);
    started.once('exit', () => {
      // ended when idle
      if (thread !== started) return;
      thread = null;
      for (const [id, answer] of waiting) answer({ id, kind: 'skipped' });
    });
    return started;
  };
  const end = () => {
    const ended = thread;
    thread = null;
    void ended?.terminate();
  };
  return {
    create: async (root, { parents, name, flags, mode }) => {
      if (waiting.size >= maxWaiting) return null;
      clearTimeout(idle);
      thread ??= start();
      const worker = thread;
      lastId += 1;
      const id = lastId;
      const job: NewFileJob = { id, rootFd: root.fd, parents, name, flags, mode, ...owner };
      try {
        const response = await new Promise<NewFileResponse>((resolve) => {
          waiting.set(id, resolve);
          worker.ref();
          worker.postMessage(job, []);
        });
        return fileOf(response);
      } finally {
        waiting.delete(id);
        if (waiting.size === 0) {
          worker.unref();
          idle = setTimeout(end, idleMs).unref();
        }
      }
    },
  };
}

function fileOf(response: NewFileResponse): OpenFile | null {
  switch (response.kind) {
    case 'created':
      return openFileOf(response.fd);
    case 'skipped':
      return null;
    case 'failed':
      throw Object.assign(new Error('a new file could not be finished'), { code: response.code });
    default:
      return assertNever(response);
  }
}
