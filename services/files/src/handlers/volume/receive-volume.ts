import { setTimeout as wait } from 'node:timers/promises';
import type { Handler } from '@panel/rpc';
import type { ReceiveVolumeResponse, VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireAddress, requireExportGrant, requireTransferIds } from '../../domain/transfer.js';
import { fromErrno } from '../../jail/errno.js';
import { presentProgress } from '../../present/transfer-progress.js';
import type { RunningPull } from '../../transfers/transfers.js';

/** Progress is lastSent at most this often, */
const tickMs = 250;
/** and repeated after this many unchanged ticks, as a keep-alive. */
const maxIdleTicks = 20;

/** Get a volume from another node. The call shows a pull that others may share; the last to leave stops it. */
export function receiveVolume(context: FilesContext): Handler<VolumeServiceService['receiveVolume']> {
  return async function* (request, { signal, log }) {
    const ids = requireTransferIds(request);
    const sourceAddress = requireAddress(request.sourceAddress);
    requireExportGrant(context.exportGrants.verify(request.grant), ids);
    const pull = context.transfers.join({ ...ids, sourceAddress, grant: request.grant });
    // not only at the end of this generator, which waits for its current step
    const leave = () => pull.leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      yield* watch(pull, signal);
      log.info(
        { ...ids, bytes: pull.progress.bytesTotal, entries: pull.progress.entriesTotal },
        'a volume has arrived',
      );
    } catch (error) {
      throw fromErrno(error);
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
  };
}

async function* watch({ progress, result }: RunningPull, signal: AbortSignal): AsyncGenerator<ReceiveVolumeResponse> {
  const finished = new AbortController();
  const end = result.finally(() => finished.abort());
  // thrown below, when it is asked for
  end.catch(() => undefined);
  const wake = AbortSignal.any([signal, finished.signal]);
  let lastSent = '';
  for (let idleTicks = 0; !finished.signal.aborted; idleTicks += 1) {
    signal.throwIfAborted();
    const now = JSON.stringify(progress);
    if (now !== lastSent || idleTicks >= maxIdleTicks) {
      lastSent = now;
      idleTicks = 0;
      yield presentProgress(progress);
    }
    await pause(wake);
  }
  const value = await end;
  yield { ...presentProgress(progress), end: { $case: 'finished', value } };
}

/** One tick, or less when the pull ends. */
async function pause(wake: AbortSignal): Promise<void> {
  await wait(tickMs, undefined, { signal: wake }).catch((error: unknown) => {
    if (!wake.aborted) throw error;
  });
}
