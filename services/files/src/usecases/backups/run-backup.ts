import { raceAbort } from '@panel/kit/async';
import { type AppError, isAppError } from '@panel/kit/errors';
import { readIgnoreFile, type ScannedTree, scanTree, type ScanVisitor } from '../../backups/scan-tree.js';
import type { Backup } from '../../domain/backup.js';
import { fromErrno } from '../../jail/errno.js';
import { volumeOf } from '../../jail/volumes.js';
import { fail } from '../../reasons.js';
import { backupNotFound } from './backup-readers.js';
import type { BackupsContext } from './backups-context.js';
import { withProgressDeadline } from './progress-deadline.js';
import { recordFailure, removeReplaced } from './replace-backup.js';
import type { RunProgress, SharedRun } from './shared-runs.js';

const maxMessageLength = 300;
/** A backup of which nothing is read or stored for this long has failed. */
const defaultIdleMs = 10 * 60_000;
/** For the removal of what a failed backup has left; the sweep does the rest. */
const cleanupMs = 60_000;

/** Make a pending backup, or join the run that does. Throws BACKUP_NOT_FOUND. */
export async function runBackup(
  context: BackupsContext,
  serverId: string,
  id: string,
  idleMs = defaultIdleMs,
): Promise<SharedRun | null> {
  const backup = await context.store.confirm(serverId, id);
  if (!backup || backup.state === 'deleting') throw backupNotFound();
  if (backup.state !== 'pending') return null;
  return context.runs.join(id, async (progress, signal) => {
    try {
      await context.limiter.run(async () =>
        withProgressDeadline(idleMs, signal, async (deadline, onProgress) =>
          makeBackup(context, backup, { progress, onProgress, signal: deadline }),
        ),
      );
    } catch (error) {
      await giveUp(context, backup, error, signal);
    }
  });
}

async function makeBackup(
  { store, storages, volumes, nodeId, readers, tempNames, clock, log }: BackupsContext,
  backup: Backup,
  {
    progress,
    onProgress,
    signal,
  }: { readonly progress: RunProgress; readonly onProgress: () => void; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const enter = (step: string, from: number, to: number) => (share: number) => {
    progress.step = step;
    progress.percent = Math.floor(from + (to - from) * Math.min(1, share));
    onProgress();
  };
  const startedAt = performance.now();
  const isStored = await volumes.open(volumeOf(backup.serverId), async (root) => {
    const ignoredFiles = backup.ignoredFiles.length > 0 ? backup.ignoredFiles : await readIgnoreFile(root);
    const onArchived = enter('archive', 5, 80);
    let tree: ScannedTree = { entries: 0, contentBytes: 0, excluded: [] };
    const scan = async (visitor?: ScanVisitor) => {
      enter('scan', 1, 1)(0);
      const hasDumps = backup.databases.length > 0;
      tree = await scanTree(root, ignoredFiles, { tempNames, signal, hasDumps, onProgress, visitor });
      onArchived(0);
      return tree;
    };
    const source = { root, scan, signal, onArchived, onVerified: enter('verify', 80, 99) };
    const stored = await storages.of(backup).create(backup, source);
    const { entries, contentBytes } = tree;
    return store.complete(backup.id, { ...stored, entries, contentBytes, ignoredFiles, completedAt: clock() });
  });
  if (!isStored) throw fail('BACKUP_CANCELLED', 'the backup was deleted meanwhile');
  const durationMs = Math.round(performance.now() - startedAt);
  log.info({ backupId: backup.id, serverId: backup.serverId, durationMs }, 'a backup is completed');
  await removeReplaced({ store, storages, nodeId, readers, log }, backup.id);
}

/** When this process stops, the backup stays pending, for the next one to run it again; else it has failed. */
async function giveUp(context: BackupsContext, backup: Backup, error: unknown, signal: AbortSignal): Promise<void> {
  const { store, storages, tasks, log } = context;
  if (tasks.signal.aborted) {
    throw fail('BACKUP_INTERRUPTED', 'the files service is stopping', {}, { cause: error });
  }
  const { reason, message } = failureOf(signal.aborted ? signal.reason : fromErrno(error));
  if (reason === 'INTERNAL') log.error({ err: error, backupId: backup.id }, 'a backup has failed unexpectedly');
  else log.warn({ err: error, backupId: backup.id, serverId: backup.serverId }, 'a backup has failed');
  const hasFailed = await recordFailure(context, backup, { reason, message: message.slice(0, maxMessageLength) });
  // the record was written, and the answer lost
  if (!hasFailed && (await store.find(backup.serverId, backup.id))?.state === 'completed') return;
  try {
    await raceAbort(storages.of(backup).delete(backup), AbortSignal.timeout(cleanupMs));
  } catch (cleanupError) {
    log.warn({ err: cleanupError, backupId: backup.id }, 'bytes of a failed backup are left to the sweep');
  }
}

const interruptedTooOften = { reason: 'BACKUP_INTERRUPTED', message: 'the backup was interrupted too often' };

/** Fail a backup that nobody will run any more. */
export async function abandonBackup(
  context: BackupsContext,
  serverId: string,
  id: string,
  { reason, message }: Pick<AppError, 'reason' | 'message'> = interruptedTooOften,
): Promise<void> {
  const backup = await context.store.find(serverId, id);
  if (backup?.state !== 'pending') return;
  const run = context.runs.find(id);
  if (run) {
    run.abort.abort(fail('BACKUP_INTERRUPTED', message));
    await run.result.catch(() => undefined);
  }
  await recordFailure(context, backup, { reason, message: message.slice(0, maxMessageLength) });
}

function failureOf(error: unknown): Pick<AppError, 'reason' | 'message'> {
  return isAppError(error) && error.kind !== 'internal' ? error : { reason: 'INTERNAL', message: 'the backup failed' };
}
