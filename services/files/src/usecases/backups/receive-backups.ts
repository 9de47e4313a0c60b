import type { BackupDeps } from '../../backups/backup-deps.js';
import { receiveArchives, type ReceiveProgress, type ReceiveRequest } from '../../backups/receive-archives.js';
import { watchRun } from '../../operations/watch-run.js';

/**
 * From another node's disk, verified on this one. The next call resumes. Throws SOURCE_UNAVAILABLE, BACKUP_DAMAGED,
 * DISK_FULL, NODE_DISK_LOW.
 */
export async function* receiveBackups(
  context: BackupDeps,
  request: ReceiveRequest,
  signal: AbortSignal,
): AsyncGenerator<ReceiveProgress> {
  const progress: ReceiveProgress = { received: 0, total: 0, bytesDone: 0, bytesTotal: 0 };
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  // a caller that lost its lease may still write the same file
  const result = context.mutex.run(`receive ${request.serverId}`, async () =>
    receiveArchives(context, request, progress, stop),
  );
  try {
    yield* watchRun({ progress, result }, signal);
    yield { ...progress };
  } finally {
    left.abort();
    await result.catch(() => undefined);
  }
}
