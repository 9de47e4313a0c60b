import { type AppError, isAppError } from '@panel/kit';
import type { Connection } from '@panel/rpc';
import { type ExportVolumeRequest, type ExportVolumeResponse, VolumeServiceService } from '@panel/protos/files';
import { fail } from '../reasons.js';

/** Reaches other files services. */
export type ConnectTo = (address: string) => Connection;

/** A source tells something at least every few seconds, whatever it is doing; one that is silent this long is gone. */
const maxSilenceMs = 60_000;

/**
 * What a source sends of a volume. Throws what the source refuses, the reason of `signal`, and SOURCE_UNAVAILABLE when the
 * source cannot be reached, goes away, or goes quiet.
 */
export async function* exportFrom(
  connectTo: ConnectTo,
  source: Omit<ExportVolumeRequest, 'acceptsHardLinks'> & { readonly address: string },
  signal: AbortSignal,
  silenceMs = maxSilenceMs,
): AsyncGenerator<ExportVolumeResponse, undefined> {
  const connection = connectTo(source.address);
  const quiet = new AbortController();
  try {
    const { grant, afterPath, partial } = source;
    const call = connection
      .client(VolumeServiceService)
      .exportVolume(
        { grant, afterPath, partial, acceptsHardLinks: true },
        { signal: AbortSignal.any([signal, quiet.signal]) },
      );
    yield* whileTalking(call, silenceMs, () => quiet.abort(fail('SOURCE_UNAVAILABLE', 'the source has gone quiet')));
    return undefined;
  } catch (error) {
    throw signal.aborted ? error : sourceFailure(error, source.address);
  } finally {
    connection.close();
  }
}

/** Pass values on; `onSilence` is called when the next one takes too long, the time a consumer takes not counted. */
async function* whileTalking<T>(
  source: AsyncIterable<T>,
  silenceMs: number,
  onSilence: () => void,
): AsyncGenerator<T, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(onSilence, silenceMs);
      const next = await iterator.next().finally(() => clearTimeout(timer));
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A refusal is passed on as it is; that the call failed, in whatever way, means one thing: try again. */
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
  return fail('SOURCE_UNAVAILABLE', 'the source cannot be reached, or went away', { address }, { cause });
}
