import { raceAbort } from '@panel/kit/async';
import { type AppError, isAppError } from '@panel/kit/errors';
import type { Backup } from '../domain/backup.js';
import { fromErrno } from '../jail/errno.js';
import { fail } from '../reasons.js';
import { volumeOf } from '../volumes/volumes.js';
import type { BackupDeps } from './backup-deps.js';
import { withProgressDeadline } from './progress-deadline.js';
import { recordFailure, removeReplaced } from './replace-backup.js';
import { readIgnoreFile, type ScannedTree, scanTree, type ScanVisitor } from './storage/scan-tree.js';
import type { RunProgress } from './shared-runs.js';

export const maxMessageLength = 300;
/** The sweep does the rest. */
const cleanupMs = 60_000;

interface MakeOptions {
  readonly ownerId: string;
  readonly progress: RunProgress;
  readonly signal: AbortSignal;
  /** Idle limit, after which the backup fails. */
  readonly idleMs: number;
}

/** Waits for a free place of this node, at which owners take turns. */
export async function makeBackup(
  deps: BackupDeps,
  backup: Backup,
  { ownerId, progress, signal, idleMs }: MakeOptions,
): Promise<void> {
  try {
    const free = await deps.turns.take(ownerId, signal);
    try {
      await withProgressDeadline(idleMs, signal, async (deadline, onProgress) =>
        storeBackup(deps, backup, { progress, onProgress, signal: deadline }),
      );
    } finally {
      free();
    }
  } catch (error) {
    await giveUp(deps, backup, error, signal);
  }
}

async function storeBackup(
  { store, storages, volumes, nodeId, readers, tempNames, clock, log }: BackupDeps,
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

/** On shutdown the backup stays pending, for a rerun. */
async function giveUp(context: BackupDeps, backup: Backup, error: unknown, signal: AbortSignal): Promise<void> {
  const { store, storages, tasks, log } = context;
  if (tasks.signal.aborted) {
    throw fail('BACKUP_INTERRUPTED', 'the files service is stopping', {}, { cause: error });
  }
  const { reason, message } = failureOf(signal.aborted ? signal.reason : fromErrno(error));
  if (reason === 'INTERNAL') log.error({ err: error, backupId: backup.id }, 'a backup has failed unexpectedly');
  else log.warn({ err: error, backupId: backup.id, serverId: backup.serverId }, 'a backup has failed');
  const hasFailed = await recordFailure(context, backup, { reason, message: message.slice(0, maxMessageLength) });
  // the record was written, but its response lost
  if (!hasFailed && (await store.find(backup.serverId, backup.id))?.state === 'completed') return;
  try {
    await raceAbort(storages.of(backup).delete(backup), AbortSignal.timeout(cleanupMs));
  } catch (cleanupError) {
    log.warn({ err: cleanupError, backupId: backup.id }, 'bytes of a failed backup are left to the sweep');
  }
}

function failureOf(error: unknown): Pick<AppError, 'reason' | 'message'> {
  return isAppError(error) && error.kind !== 'internal' ? error : { reason: 'INTERNAL', message: 'the backup failed' };
}
