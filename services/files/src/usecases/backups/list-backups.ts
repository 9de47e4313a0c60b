import type { BackupDeps } from '../../backups/backup-deps.js';
import type { FilesContext } from '../../context.js';
import type { Backup, Retention } from '../../domain/backup.js';

export async function listBackups({ backups }: Pick<FilesContext, 'backups'>, serverId: string): Promise<Backup[]> {
  return backups.store.list(serverId);
}

interface RetainedBackup {
  readonly backup: Backup;
  readonly retention: Retention;
}

/** `retentionMs` null: until staff delete them. */
export async function listRetainedBackups(
  { store, retentionMs }: Pick<BackupDeps, 'store' | 'retentionMs'>,
  backupId: string | null,
): Promise<{ readonly backups: RetainedBackup[]; readonly retentionMs: number | null }> {
  const one = backupId === null ? null : await store.findById(backupId);
  const found = backupId === null ? await store.listRetained() : one?.state === 'completed' ? [one] : [];
  const backups = found.flatMap((backup) => (backup.retention ? [{ backup, retention: backup.retention }] : []));
  return { backups, retentionMs };
}
