/**
 * The values of `source` until its end or until `signal` aborts, which throws the signal's reason at once, even while a
 * value is pending. The source's return is requested, not awaited.
 */
export async function* abortableIterable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let rejectPending: () => void = () => undefined;
  const stopListening = onAbort(signal, () => rejectPending());
  try {
    for (;;) {
      // A promise per value: racing a long-lived promise would retain every value.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        rejectPending = () => reject(signal.reason);
        if (signal.aborted) rejectPending();
        else iterator.next().then(resolve, reject);
      });
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    stopListening();
    iterator.return?.().catch(() => undefined);
  }
}

/**
 * The result of `work`, or a rejection with the signal's reason `graceMs` after its abort. `work` continues; its late
 * failure is ignored.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined, graceMs = 0): Promise<T> {
  if (!signal) return work;
  let timer: NodeJS.Timeout | undefined;
  let stopListening = () => undefined as void;
  try {
    return await new Promise<T>((resolve, reject) => {
      work.then(resolve, reject);
      stopListening = onAbort(signal, () => {
        if (graceMs === 0) reject(signal.reason);
        else timer = setTimeout(() => reject(signal.reason), graceMs);
      });
    });
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/** Calls `listener` on abort, at once when already aborted. Returns the listener's removal. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
