import { isAppError } from '@panel/kit/errors';
import type { Backup } from '../domain/backup.js';
import { fail } from '../reasons.js';
import { blobKey } from './archive/archive-storage.js';
import type { BackupDeps } from './backup-deps.js';

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

/** Copy the archives of a server that this node lacks; those that are there stay when it ends early. */
export async function receiveArchives(
  context: BackupDeps,
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

/**
 * The volume of a server has left this node, or never came to stay: backups that another node has too are removed here.
 * Those that lie here only stay.
 */
export async function releaseCopies({ store, nodeId, diskBlobs }: BackupDeps, serverId: string): Promise<void> {
  for (const backup of await store.listAll(serverId)) {
    if (backup.storage !== 'node' || backup.nodeIds.length < 2 || !backup.nodeIds.includes(nodeId)) continue;
    await store.removeNode(backup.id, nodeId);
    await diskBlobs.delete(blobKey(backup));
  }
}
