import { type AppError, isAppError } from '@panel/kit/errors';
import type { Connection } from '@panel/rpc';
import { type ExportVolumeRequest, type ExportVolumeResponse, VolumeServiceService } from '@panel/protos/files';
import { fail } from '../reasons.js';

export type ConnectTo = (address: string) => Connection;

/** Idle limit; a source sends every few seconds. */
const maxIdleMs = 60_000;

/**
 * A volume from its source. Throws the source's refusals, the reason of `signal`, and SOURCE_UNAVAILABLE for an
 * unreachable, disconnected or idle source.
 */
export async function* exportFrom(
  connectTo: ConnectTo,
  source: ExportVolumeRequest & { readonly address: string },
  signal: AbortSignal,
  idleTimeoutMs = maxIdleMs,
): AsyncGenerator<ExportVolumeResponse, undefined> {
  const connection = connectTo(source.address);
  const quiet = new AbortController();
  try {
    const { grant, afterPath, partial } = source;
    const call = connection
      .client(VolumeServiceService)
      .exportVolume({ grant, afterPath, partial }, { signal: AbortSignal.any([signal, quiet.signal]) });
    yield* withIdleTimeout(call, idleTimeoutMs, () =>
      quiet.abort(fail('SOURCE_UNAVAILABLE', 'the source sent nothing for too long')),
    );
    return undefined;
  } catch (error) {
    throw signal.aborted ? error : sourceFailure(error, source.address);
  } finally {
    connection.close();
  }
}

/** Excludes the consumer's time. */
async function* withIdleTimeout<T>(
  source: AsyncIterable<T>,
  idleTimeoutMs: number,
  onIdle: () => void,
): AsyncGenerator<T, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(onIdle, idleTimeoutMs);
      const next = await iterator.next().finally(() => clearTimeout(timer));
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Other failures than refusals are retryable. */
function sourceFailure(error: unknown, address: string): unknown {
  if (!isAppError(error) || error.reason === 'SOURCE_UNAVAILABLE') return error;
  switch (error.kind) {
    case 'unavailable':
    case 'cancelled':
    case 'deadline_exceeded':
    case 'internal':
      return lost(error, address);
    default:
      return error;
  }
}

function lost(cause: AppError, address: string): AppError {
  return fail('SOURCE_UNAVAILABLE', 'the source cannot be reached, or disconnected', { address }, { cause });
}
