import type { Backup } from '../domain/backup.js';
import type { BackupDeps } from './backup-deps.js';

/**
 * Remove the bytes of a backup that is being deleted, as far as they are within reach of this node, and its record with the
 * last of them. What lies on the disks of other nodes is left to their sweeps. Throws STORAGE_UNAVAILABLE.
 */
export async function removeHere(
  { store, storages, nodeId }: Pick<BackupDeps, 'store' | 'storages' | 'nodeId'>,
  backup: Backup,
): Promise<void> {
  const isOnDisk = backup.storage === 'node';
  if (!isOnDisk || backup.nodeIds.includes(nodeId)) await storages.of(backup).delete(backup);
  const remaining = isOnDisk ? ((await store.removeNode(backup.id, nodeId)) ?? []) : [];
  if (remaining.length === 0) await store.remove(backup.id);
}
