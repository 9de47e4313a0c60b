import type { BackupDeps } from '../../backups/backup-deps.js';
import { receiveArchives, type ReceiveProgress, type ReceiveRequest } from '../../backups/receive-archives.js';
import { watchRun } from '../../operations/watch-run.js';

/**
 * Copy the completed backups of a server to this node that lie on the disk of another one, and compare what is on the disk
 * then with the checksum of each. What has arrived stays for the next call. Throws SOURCE_UNAVAILABLE, BACKUP_DAMAGED,
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
  // a caller that has lost its lease may still be writing the same file: one after the other
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
