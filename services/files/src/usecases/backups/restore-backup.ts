import { invalidFields, isAppError, fieldProblem } from '@panel/kit/errors';
import type { BackupDeps } from '../../backups/backup-deps.js';
import { type RestoreRequest, restoreVolume } from '../../backups/restore-volume.js';
import type { RunProgress, SharedRun } from '../../backups/shared-runs.js';
import { watchRun } from '../../operations/watch-run.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { fromErrno, mapFsErrors } from '../../jail/errno.js';
import { findCompleted } from './read-backup.js';

/** Starts or joins a run. Throws INVALID_FIELDS. */
export function startRestore(context: BackupDeps, request: RestoreRequest): SharedRun {
  const paths = request.paths.map((one) => displayPath(parsePath(one, 'paths')));
  // It would mean everything.
  if (paths.includes(''))
    throw invalidFields({ paths: [fieldProblem('too_short', 'must name files or directories below the root')] });
  const work = async (progress: RunProgress, signal: AbortSignal) => {
    const leave = context.readers.enter(request.backupId);
    try {
      const backup = await findCompleted(context, request.serverId, request.backupId);
      await mapFsErrors(async () => restoreVolume(context, backup, { ...request, paths }, progress, signal));
      await context.store.setRestored(backup.id, context.clock(), '');
    } catch (error) {
      const reason = fromErrno(signal.aborted ? signal.reason : error);
      const message = isAppError(reason) ? reason.message : 'the restore failed';
      if (!context.tasks.signal.aborted) {
        await context.store.setRestored(request.backupId, context.clock(), message.slice(0, 300));
      }
      throw reason;
    } finally {
      leave();
    }
  };
  return context.runs.join(request.operationId, work, request.serverId);
}

/** The run continues without its caller. */
export async function* restoreBackup(
  context: BackupDeps,
  request: RestoreRequest,
  signal: AbortSignal,
): AsyncGenerator<RunProgress> {
  yield* watchRun(startRestore(context, request), signal);
}
