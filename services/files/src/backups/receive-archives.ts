import { isAppError } from '@panel/kit/errors';
import type { Backup } from '../domain/backup.js';
import { fail } from '../reasons.js';
import { blobKey } from './archive/archive-storage.js';
import type { BackupDeps } from './backup-deps.js';

export interface ReceiveRequest {
  readonly serverId: string;
  readonly sourceAddress: string;
  readonly grant: string;
  /** Null: all of the server. */
  readonly backupId: string | null;
}

export interface ReceiveProgress {
  received: number;
  total: number;
  /** Counts each byte twice: copied, then compared. */
  bytesDone: number;
  bytesTotal: number;
}

/** Within the 10 minutes of an export grant: the caller continues with a new one. */
const maxCallMs = 4 * 60_000;

/** Copies those this node lacks, and keeps them after an early end. */
export async function receiveArchives(
  context: BackupDeps,
  request: ReceiveRequest,
  progress: ReceiveProgress,
  signal: AbortSignal,
): Promise<void> {
  const { store, nodeId, log } = context;
  const startedAt = performance.now();
  const { backupId } = request;
  const isForeign = ({ id, storage, state, nodeIds }: Backup) =>
    (backupId === null || id === backupId) && storage === 'node' && state === 'completed' && !nodeIds.includes(nodeId);
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
      // on a third node, or lost: not movable
      log.warn({ backupId: backup.id, serverId: backup.serverId }, 'a backup is not on the node its server leaves');
    } finally {
      context.arriving.delete(backup.id);
    }
    progress.received += 1;
  }
}

async function receiveOne(
  { store, storages, nodeId, exporter, diskBlobs }: BackupDeps,
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
  // the record must not name a copy of a cancelled transfer
  signal.throwIfAborted();
  await store.addNode(id, nodeId);
  progress.bytesDone = before + sizeBytes * 2;
}

/** After the volume left, or did not arrive: removes copies that another node has too. */
export async function releaseCopies({ store, nodeId, diskBlobs }: BackupDeps, serverId: string): Promise<void> {
  for (const backup of await store.listAll(serverId)) {
    if (backup.storage !== 'node' || backup.nodeIds.length < 2 || !backup.nodeIds.includes(nodeId)) continue;
    await store.removeNode(backup.id, nodeId);
    await diskBlobs.delete(blobKey(backup));
  }
}
