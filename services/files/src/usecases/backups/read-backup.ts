import type { BackupContent, BackupEntry } from '../../backups/storage/backup-storage.js';
import type { Backup } from '../../domain/backup.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { fail } from '../../reasons.js';
import { backupNotFound } from '../../backups/backup-readers.js';
import type { BackupDeps } from '../../backups/backup-deps.js';

const maxListed = 10_000;

/** Throws BACKUP_NOT_FOUND. */
export async function findBackup({ store }: BackupDeps, serverId: string, id: string): Promise<Backup> {
  const backup = await store.find(serverId, id);
  if (!backup || backup.state === 'deleting') throw backupNotFound();
  return backup;
}

/** And where it can be restored. Throws BACKUP_NOT_FOUND. */
export async function locateBackup(
  context: BackupDeps,
  serverId: string,
  id: string,
): Promise<{ readonly backup: Backup; readonly isWithinReach: boolean; readonly dataRootIds: string[] }> {
  const backup = await findBackup(context, serverId, id);
  const dataRootIds = backup.storage === 'node' ? [...backup.nodeIds] : [];
  return { backup, isWithinReach: context.storages.reaches(backup), dataRootIds };
}

/** Throws BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED. */
export async function findCompleted(context: BackupDeps, serverId: string, id: string): Promise<Backup> {
  const backup = await findBackup(context, serverId, id);
  if (backup.state === 'completed') return backup;
  const message = backup.state === 'pending' ? 'the backup is not completed yet' : 'the backup has failed';
  throw fail('BACKUP_NOT_COMPLETED', message, { state: backup.state });
}

interface OpenBackup {
  readonly backup: Backup;
  readonly content: BackupContent;
  /** Call it at the end of the download. */
  readonly leave: () => void;
}

/** Throws BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED, BACKUP_MISSING, STORAGE_UNAVAILABLE. */
export async function openBackup(
  context: BackupDeps,
  { serverId, id, ...range }: { serverId: string; id: string; offset: number; limit: number },
  signal: AbortSignal,
): Promise<OpenBackup> {
  const leave = context.readers.enter(id);
  try {
    const backup = await findCompleted(context, serverId, id);
    return { backup, content: await context.storages.of(backup).open(backup, range, signal), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Directories first. Throws FILE_NOT_FOUND, INVALID_FIELDS and as `openBackup`. */
export async function listBackupFiles(
  context: BackupDeps,
  { serverId, id, path }: { readonly serverId: string; readonly id: string; readonly path: string },
  signal: AbortSignal,
): Promise<{ readonly entries: BackupEntry[]; readonly isTruncated: boolean }> {
  const directory = displayPath(parsePath(path === '' ? '/' : path, 'path'));
  const leave = context.readers.enter(id);
  try {
    const backup = await findCompleted(context, serverId, id);
    const found = await context.storages.of(backup).list(backup, directory, maxListed, signal);
    const entries = found.toSorted(
      (a, b) => Number(b.kind === 'directory') - Number(a.kind === 'directory') || (a.path < b.path ? -1 : 1),
    );
    return { entries: entries.slice(0, maxListed), isTruncated: entries.length > maxListed };
  } finally {
    leave();
  }
}
