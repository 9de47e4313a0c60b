import { isAppError } from '@panel/kit/errors';
import { blobKey } from '../../backups/archive-storage.js';
import type { BackupContent } from '../../backups/backup-storage.js';
import type { Backup } from '../../domain/backup.js';
import { fail } from '../../reasons.js';
import { findCompleted, openBackup } from './read-backup.js';
import type { BackupsContext } from './backups-context.js';
import { watchRun } from './shared-runs.js';

export interface ReceiveRequest {
  readonly serverId: string;
  readonly sourceAddress: string;
  readonly grant: string;
}

export interface ReceiveProgress {
  received: number;
  total: number;
  /** Copied, and compared: of each byte twice. */
  bytesDone: number;
  bytesTotal: number;
}

/** An export grant is valid for 10 minutes: past this, the caller comes again with another one. */
const maxCallMs = 4 * 60_000;

/**
 * Copy the completed backups of a server to this node that lie on the disk of another one, and compare what is on the disk
 * then with the checksum of each. What has arrived stays for the next call. Throws SOURCE_UNAVAILABLE, BACKUP_DAMAGED,
 * DISK_FULL, NODE_DISK_LOW.
 */
export async function* receiveBackups(
  context: BackupsContext,
  request: ReceiveRequest,
  signal: AbortSignal,
): AsyncGenerator<ReceiveProgress> {
  const progress: ReceiveProgress = { received: 0, total: 0, bytesDone: 0, bytesTotal: 0 };
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  // a caller that has lost its lease may still be writing the same file: one after the other
  const result = context.mutex.run(`receive ${request.serverId}`, async () =>
    receiveAll(context, request, progress, stop),
  );
  try {
    yield* watchRun({ progress, result }, signal);
    yield { ...progress };
  } finally {
    left.abort();
    await result.catch(() => undefined);
  }
}

async function receiveAll(
  context: BackupsContext,
  request: ReceiveRequest,
  progress: ReceiveProgress,
  signal: AbortSignal,
): Promise<void> {
  const { store, nodeId, log } = context;
  const startedAt = performance.now();
  const isForeign = ({ storage, state, nodeIds }: Backup) =>
    storage === 'node' && state === 'completed' && !nodeIds.includes(nodeId);
  const wanted = (await store.list(request.serverId)).filter(isForeign);
  progress.total = wanted.length;
  progress.bytesTotal = wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes * 2, 0);
  for (const backup of wanted) {
    if (performance.now() - startedAt > maxCallMs) return;
    try {
      context.arriving.add(backup.id);
      await receiveOne(context, backup, request, progress, signal);
    } catch (error) {
      if (!isAppError(error, 'BACKUP_MISSING')) throw error;
      // left on a third node, or lost: there is nothing to move
      log.warn({ backupId: backup.id, serverId: backup.serverId }, 'a backup is not on the node its server leaves');
    } finally {
      context.arriving.delete(backup.id);
    }
    progress.received += 1;
  }
}

async function receiveOne(
  { store, storages, nodeId, exporter, diskBlobs }: BackupsContext,
  backup: Backup,
  { sourceAddress, grant }: ReceiveRequest,
  progress: ReceiveProgress,
  signal: AbortSignal,
): Promise<void> {
  const { id, sizeBytes } = backup;
  const before = progress.bytesDone;
  const content = async function* () {
    for await (const { chunk } of exporter(sourceAddress).exportBackup({ grant, backupId: id }, { signal })) {
      progress.bytesDone += chunk.length;
      yield chunk;
    }
  };
  await diskBlobs.put(blobKey(backup), content(), sizeBytes, signal);
  const copied = { ...backup, nodeIds: [nodeId] };
  try {
    await storages.of(copied).verify(copied, signal, (share) => {
      progress.bytesDone = before + Math.floor(sizeBytes * (1 + share));
    });
  } catch (error) {
    await diskBlobs.delete(blobKey(backup));
    if (!isAppError(error, 'BACKUP_DAMAGED')) throw error;
    const message = `the backup "${backup.name}" is damaged on the node it is on: delete it, and transfer again`;
    throw fail('BACKUP_DAMAGED', message, { backup_id: id }, { cause: error });
  }
  // nobody may know of a copy that its transfer was cancelled for
  signal.throwIfAborted();
  await store.addNode(id, nodeId);
  progress.bytesDone = before + sizeBytes * 2;
}

/** The bytes of a backup for another node. Throws BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED, BACKUP_MISSING. */
export async function openExport(
  context: BackupsContext,
  { serverId, id }: { readonly serverId: string; readonly id: string },
  signal: AbortSignal,
): Promise<{ readonly content: BackupContent; readonly leave: () => void }> {
  const { storage, nodeIds } = await findCompleted(context, serverId, id);
  if (storage !== 'node' || !nodeIds.includes(context.nodeId)) {
    throw fail('BACKUP_MISSING', 'the backup is not on this node');
  }
  return openBackup(context, { serverId, id, offset: 0, limit: 0 }, signal);
}

/**
 * The volume of a server has left this node, or never came to stay: backups that another node has too are removed here.
 * Those that lie here only stay.
 */
export async function releaseCopies({ store, nodeId, diskBlobs }: BackupsContext, serverId: string): Promise<void> {
  for (const backup of await store.listAll(serverId)) {
    if (backup.storage !== 'node' || backup.nodeIds.length < 2 || !backup.nodeIds.includes(nodeId)) continue;
    await store.removeNode(backup.id, nodeId);
    await diskBlobs.delete(blobKey(backup));
  }
}
