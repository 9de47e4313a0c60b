import { firstOf } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { Backup, KeptBackup } from '../../domain/backup.js';
import { fail } from '../../reasons.js';
import { backupNotFound } from './backup-readers.js';
import type { BackupsContext } from './backups-context.js';
import { removeHere } from './remove-backup.js';
import { restoreReplaced } from './replace-backup.js';

/** Before the caller gives up. */
const defaultAnswerMs = 5_000;

/**
 * Remove a backup, whose bytes may follow later: a repository is busy while another backup is made. A running one is aborted
 * first. Of a failed one the record goes in any case: its storage may be what failed. Throws BACKUP_NOT_FOUND, BACKUP_LOCKED, BACKUP_IN_USE, STORAGE_UNAVAILABLE.
 */
export async function deleteBackup(
  context: BackupsContext,
  serverId: string,
  id: string,
  answerMs = defaultAnswerMs,
): Promise<Backup> {
  const { store, readers, mutex, tasks } = context;
  return readers.exclude(id, async () => {
    // its slot goes back to the backup that it was to replace before another one can take it
    const before = await mutex.run(serverId, async () => {
      const deleted = await store.beginDelete(serverId, id);
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
    // nobody sees it any more, and the sweep does what a task that dies leaves
    if (!isRemoved) tasks.run('remove a backup', async () => removal);
    return before;
  });
}

/** Remove all backups of a server that is deleted, whatever they are in; with `keep` the completed ones stay. */
export async function deleteServerBackups(
  context: BackupsContext,
  serverId: string,
  keep: Omit<KeptBackup, 'at'> | null,
): Promise<void> {
  const { store, storages, log, clock } = context;
  for (const backup of await store.listAll(serverId)) {
    if (keep && backup.state === 'completed') {
      await store.keep(backup.id, { ...keep, at: clock() });
      continue;
    }
    await abortRun(context, backup);
    await store.setLock(serverId, backup.id, false);
    await store.beginDelete(serverId, backup.id);
    await removeBytes(context, backup);
  }
  if (keep) return;
  for (const storage of storages.all) {
    try {
      await storage.deleteServer(serverId);
    } catch (error) {
      log.warn({ err: error, serverId, storage: storage.kind }, 'backups of a deleted server are left to the sweep');
    }
  }
}

async function abortRun({ runs }: BackupsContext, { id }: Backup): Promise<void> {
  const run = runs.find(id);
  if (!run) return;
  run.abort.abort(fail('BACKUP_CANCELLED', 'the backup was deleted'));
  await run.result.catch(() => undefined);
}

async function removeBytes(context: BackupsContext, backup: Backup): Promise<void> {
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
