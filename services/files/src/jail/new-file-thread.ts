import { closeSync, constants, fchmodSync, fchownSync, openSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { directoryFlags, entryPath } from './node.js';

/** A file to create, as a thread gets it. */
export interface NewFileJob {
  readonly id: number;
  /** Descriptor of the root; stays open until the answer. */
  readonly rootFd: number;
  /** Directories from the root to the file, no links. */
  readonly parents: readonly Uint8Array[];
  readonly name: Uint8Array;
  /** How it is opened, beside that it is created. */
  readonly flags: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** `skipped`: nothing was created. `failed`: there is a file now, which could not be finished; with the code of its error. */
export type NewFileResponse = { readonly id: number } & (
  | { readonly kind: 'created'; readonly fd: number }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly code: string }
);

parentPort?.on('message', (job: NewFileJob) => parentPort?.postMessage(answer(job), []));

function answer(job: NewFileJob): NewFileResponse {
  const { id, mode, uid, gid } = job;
  const fd = create(job);
  if (fd === null) return { id, kind: 'skipped' };
  try {
    fchownSync(fd, uid, gid);
    fchmodSync(fd, mode);
    return { id, kind: 'created', fd };
  } catch (error) {
    closeSync(fd);
    return { id, kind: 'failed', code: error instanceof Error && 'code' in error ? String(error.code) : '' };
  }
}

function create({ rootFd, parents, name, flags }: NewFileJob): number | null {
  let directory = rootFd;
  try {
    for (const parent of parents) {
      const next = openSync(entryPath({ fd: directory }, parent), directoryFlags);
      if (directory !== rootFd) closeSync(directory);
      directory = next;
    }
    const creation = flags | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return openSync(entryPath({ fd: directory }, name), creation, 0o600);
  } catch {
    // the name is taken, a link is on the way, or there is a real problem: the caller finds out in the usual way
    return null;
  } finally {
    if (directory !== rootFd) closeSync(directory);
  }
}
