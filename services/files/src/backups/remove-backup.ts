import type { Backup } from '../domain/backup.js';
import type { BackupDeps } from './backup-deps.js';

/**
 * Removes a deleted backup's bytes within reach of this node, and with the last of them its record. Other nodes sweep
 * their own disks. Throws STORAGE_UNAVAILABLE.
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
