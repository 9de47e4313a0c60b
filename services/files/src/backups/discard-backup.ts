import { firstOf } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { Backup } from '../domain/backup.js';
import { fail } from '../reasons.js';
import { backupNotFound } from './backup-readers.js';
import type { BackupDeps } from './backup-deps.js';
import { markDeleting, removeHere } from './remove-backup.js';
import { restoreReplaced } from './replace-backup.js';

/** Shorter than the caller's timeout. */
const defaultAnswerMs = 5_000;

/**
 * Removes a backup, aborting a pending one; bytes may follow later, since another backup can occupy the repository.
 * Always removes a failed one's record: its storage may be broken. What only another node reaches is left to its sweep.
 * Throws BACKUP_NOT_FOUND, BACKUP_LOCKED,
 * BACKUP_IN_USE, STORAGE_UNAVAILABLE.
 */
export async function discardBackup(
  context: BackupDeps,
  serverId: string,
  id: string,
  answerMs = defaultAnswerMs,
): Promise<Backup> {
  const { store, readers, mutex, tasks } = context;
  return readers.exclude(id, async () => {
    // returns the slot to the replaced backup before another takes it
    const before = await mutex.run(serverId, async () => {
      const found = await store.find(serverId, id);
      const deleted = found && (await markDeleting(context, found));
      if (deleted) await restoreReplaced(context, deleted);
      return deleted;
    });
    if (!before) {
      const found = await store.find(serverId, id);
      if (found?.isLocked) throw fail('BACKUP_LOCKED', 'the backup is locked: unlock it first');
      throw backupNotFound();
    }
    if (before.state === 'pending') await abortRun(context, before);
    const removal = removeBytes(context, before);
    const isRemoved = await firstOf(
      removal.then(() => true),
      answerMs,
      false,
    );
    // already hidden; the sweep finishes it after a crash
    if (!isRemoved) tasks.run('remove a backup', async () => removal);
    return before;
  });
}

export async function abortRun({ runs }: BackupDeps, { id }: Backup): Promise<void> {
  const run = runs.find(id);
  if (!run) return;
  run.abort.abort(fail('BACKUP_CANCELLED', 'the backup was deleted'));
  await run.result.catch(() => undefined);
}

export async function removeBytes(context: BackupDeps, backup: Backup): Promise<void> {
  try {
    await removeHere(context, backup);
  } catch (error) {
    const isNeeded = backup.state === 'completed' || backup.state === 'deleting';
    if (isNeeded || !isAppError(error)) throw error;
    context.log.warn({ err: error, backupId: backup.id }, 'bytes of a failed backup are left to the sweep');
    await context.store.remove(backup.id);
  }
  await restoreReplaced(context, backup);
}
