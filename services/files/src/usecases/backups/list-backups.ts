import type { BackupDeps } from '../../backups/backup-deps.js';
import type { Backup, KeptBackup } from '../../domain/backup.js';

export async function listBackups({ store }: Pick<BackupDeps, 'store'>, serverId: string): Promise<Backup[]> {
  return store.list(serverId);
}

export interface KeptBackupRecord {
  readonly backup: Backup;
  readonly kept: KeptBackup;
}

/** Backups that deleted servers have left, or one of them; and how long they stay, null: until staff delete them. */
export async function listKeptBackups(
  { store, keptForMs }: Pick<BackupDeps, 'store' | 'keptForMs'>,
  backupId: string | null,
): Promise<{ readonly backups: KeptBackupRecord[]; readonly keptForMs: number | null }> {
  const one = backupId === null ? null : await store.findById(backupId);
  const found = backupId === null ? await store.listKept() : one?.state === 'completed' ? [one] : [];
  const backups = found.flatMap((backup) => (backup.kept ? [{ backup, kept: backup.kept }] : []));
  return { backups, keptForMs };
}
