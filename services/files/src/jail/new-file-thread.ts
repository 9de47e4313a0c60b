import { closeSync, constants, fchmodSync, fchownSync, openSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { directoryFlags, entryPath } from './node.js';

export interface NewFileJob {
  readonly id: number;
  /** Stays open until the response. */
  readonly rootFd: number;
  /** From the root; no links. */
  readonly parents: readonly Uint8Array[];
  readonly name: Uint8Array;
  /** In addition to creation. */
  readonly flags: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** `skipped`: nothing was created. `failed`: created but unfinished. */
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
    // the caller's slow path reports the problem
    return null;
  } finally {
    if (directory !== rootFd) closeSync(directory);
  }
}
