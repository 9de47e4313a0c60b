/**
 * The values of `source` until it ends, or until `signal` is aborted: then the signal's reason is thrown at once, also
 * while a value is waited for. The source is told to stop, but not waited for.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let onAbort: () => void = () => undefined;
  const tell = () => onAbort();
  signal.addEventListener('abort', tell, { once: true });
  try {
    for (;;) {
      // A promise of its own for each value: one for all would keep every value until the end, a whole upload.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        onAbort = () => reject(signal.reason);
        if (signal.aborted) onAbort();
        else iterator.next().then(resolve, reject);
      });
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', tell);
    iterator.return?.().catch(() => undefined);
  }
}
