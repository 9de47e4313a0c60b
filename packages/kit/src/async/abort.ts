/**
 * The values of `source` until it ends, or until `signal` aborts: then the signal's reason is thrown at once, even while a
 * value is pending. The source is asked to return, but its return is not awaited.
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
      // A new promise for each value: racing one long-lived promise would retain every value until the end.
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
 * The result of `work`, or a rejection with the reason of `signal` `graceMs` after it aborted, whichever comes first. `work`
 * itself continues; its late failure is ignored.
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

/** Call `listener` when `signal` aborts, or now if it has. Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
