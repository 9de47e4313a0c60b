import type { Logger } from '@panel/kit/process';
import type { FilesContext } from '../../context.js';
import { requireExportGrant } from '../../domain/grant.js';
import { fromErrno } from '../../jail/errno.js';
import { watchRun } from '../../operations/watch-run.js';
import type { Finished, PullProgress, PullRequest } from '../../transfers/pull-volume.js';

interface ReceivedProgress {
  readonly progress: Readonly<PullProgress>;
  /** Null: in progress. */
  readonly finished: Finished | null;
}

/**
 * Callers may share a pull; the last leave stops it. Throws GRANT_INSUFFICIENT, TRANSFER_IN_PROGRESS,
 * TRANSFER_DISCARDED, and errors of `pullVolume`.
 */
export async function* receiveVolume(
  { exportGrants, transfers }: Pick<FilesContext, 'exportGrants' | 'transfers'>,
  request: PullRequest,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): AsyncGenerator<ReceivedProgress> {
  const { serverId, operationId } = request;
  requireExportGrant(exportGrants.verify(request.grant), request);
  const pull = transfers.join(request);
  // at once: the generator's end waits for its step
  const leave = () => pull.leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for await (const progress of watchRun(pull, signal)) yield { progress, finished: null };
    const { progress } = pull;
    yield { progress, finished: await pull.result };
    const { bytesTotal: bytes, entriesTotal: entries } = progress;
    log.info({ serverId, operationId, bytes, entries }, 'a volume has arrived');
  } catch (error) {
    throw fromErrno(error);
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}
