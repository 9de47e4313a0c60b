import { fail } from '../reasons.js';

/** The files service sends every 5 s at least. */
const idleTimeoutMs = 60_000;

/** What a files service sends. Throws TARGET_TIMEOUT after a minute of silence, and its errors. */
export async function* heard<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), idleTimeoutMs).unref();
  try {
    for await (const message of open(AbortSignal.any([silence.signal, signal]))) {
      timer.refresh();
      yield message;
    }
  } catch (error) {
    if (!silence.signal.aborted) throw error;
    throw fail('TARGET_TIMEOUT', 'the files service of the node has said nothing for a minute', {}, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}
