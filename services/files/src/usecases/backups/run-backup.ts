import type { AppError } from '@panel/kit/errors';
import { backupNotFound } from '../../backups/backup-readers.js';
import type { BackupDeps } from '../../backups/backup-deps.js';
import { makeBackup, maxMessageLength } from '../../backups/make-backup.js';
import { recordFailure } from '../../backups/replace-backup.js';
import type { RunProgress, SharedRun } from '../../backups/shared-runs.js';
import { watchRun } from '../../operations/watch-run.js';
import { fail } from '../../reasons.js';

/** Idle limit. */
const defaultIdleMs = 10 * 60_000;

interface RunRequest {
  readonly serverId: string;
  readonly id: string;
  /** Absent: of an older caller. */
  readonly ownerId?: string | undefined;
}

/** Starts or joins the run; null after its end. Throws BACKUP_NOT_FOUND. */
export async function startBackup(
  context: BackupDeps,
  { serverId, id, ownerId = serverId }: RunRequest,
  idleMs = defaultIdleMs,
): Promise<SharedRun | null> {
  const backup = await context.store.confirm(serverId, id);
  if (!backup || backup.state === 'deleting') throw backupNotFound();
  if (backup.state !== 'pending') return null;
  return context.runs.join(id, async (progress, signal) =>
    makeBackup(context, backup, { ownerId, progress, signal, idleMs }),
  );
}

/** The run continues without its caller. */
export async function* runBackup(
  context: BackupDeps,
  request: RunRequest,
  signal: AbortSignal,
): AsyncGenerator<RunProgress> {
  const run = await startBackup(context, request);
  if (run) yield* watchRun(run, signal);
}

const interruptedTooOften = { reason: 'BACKUP_INTERRUPTED', message: 'the backup was interrupted too often' };

export async function abandonBackup(
  context: BackupDeps,
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
