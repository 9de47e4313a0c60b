import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { assertNever } from '@panel/kit/errors';
import type { Segments } from '../domain/path.js';
import type { NewFileJob, NewFileResponse } from './new-file-thread.js';
import { type OpenFile, openFileOf } from './open-file.js';
import type { Owner } from './owner.js';

export interface NewFile {
  readonly parents: Segments;
  readonly name: Buffer;
  /** O_WRONLY or O_RDWR. */
  readonly flags: number;
  readonly mode: number;
}

/** Creates files where most of the work is to ask for it: ten thousand small ones. */
export interface NewFiles {
  /**
   * Create a file below an open root, each directory on the way opened as one and no link followed. Null when that cannot be done
   * at once, for whatever reason; then nothing was created. Throws as chown(2) and chmod(2) do. The caller closes the file.
   */
  create(root: FileHandle, file: NewFile): Promise<OpenFile | null>;
}

/** A disk that hangs holds no more than these; others take the usual way. */
const maxWaiting = 4;
const defaultIdleMs = 10_000;

/**
 * A thread that does all system calls of one creation in a row. Each call on its own, through the thread pool of Node, costs several
 * times what it takes (bench/HISTORY.md). The thread is started for the first file and ends when there was none for a while.
 */
export function createNewFiles(owner: Owner, idleMs = defaultIdleMs): NewFiles {
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  const waiting = new Map<number, (response: NewFileResponse) => void>();
  const start = () => {
    // the caller closes what it opens, which stays open when the thread ends
    const started = new Worker(new URL('./new-file-thread.js', import.meta.url), { env: {}, trackUnmanagedFds: false });
    started.unref();
    started.on('message', (response: NewFileResponse) => waiting.get(response.id)?.(response));
    started.on('error', () => undefined);
    started.once('exit', () => {
      // ended because it was idle: those who wait have another one
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
