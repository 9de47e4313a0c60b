import type { Backup } from '../domain/backup.js';
import type { BackupDeps } from './backup-deps.js';

/**
 * Removes bytes within this node's reach, and with the last bytes the record. Other nodes sweep what only they reach.
 * Throws STORAGE_UNAVAILABLE.
 */
export async function removeHere(
  { store, storages, nodeId }: Pick<BackupDeps, 'store' | 'storages' | 'nodeId'>,
  backup: Backup,
): Promise<void> {
  if (storages.reaches(backup)) await storages.of(backup).delete(backup);
  else if (backup.nodeIds.length > 0) return;
  const isOnDisk = backup.storage === 'node';
  const remaining = isOnDisk ? ((await store.removeNode(backup.id, nodeId)) ?? []) : [];
  if (remaining.length === 0) await store.remove(backup.id);
}

/** Marks an unlocked one and makes this node sweep what it reaches; returns the earlier record. */
export async function markDeleting(
  { store, storages, nodeId }: Pick<BackupDeps, 'store' | 'storages' | 'nodeId'>,
  backup: Pick<Backup, 'id' | 'serverId' | 'storage' | 'nodeIds' | 'destination'>,
): Promise<Backup | null> {
  const sweeper = storages.reaches(backup) ? nodeId : null;
  return store.beginDelete(backup.serverId, backup.id, sweeper);
}
