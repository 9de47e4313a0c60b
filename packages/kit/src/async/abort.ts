/**
 * Throws the signal's reason at once on abort, even while a value is pending. The source's return is requested, not
 * awaited.
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
      // A long-lived promise in races would retain every value.
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

/** Rejects with the signal's reason `graceMs` after its abort. `work` continues; its late failure is ignored. */
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

/** At once when already aborted. Returns the listener's removal. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
