import type { Backup } from '../domain/backup.js';
import type { BackupDeps } from './backup-deps.js';

/**
 * Removes bytes within this node's reach, and with the last bytes the record. Other nodes sweep their disks. Throws
 * STORAGE_UNAVAILABLE.
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
