/**
 * The values of `source` until it ends, or until `signal` is aborted: then the signal's reason is thrown at once, also
 * while a value is waited for. The source is told to stop, but not waited for.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  // the race below reports it; this keeps it from counting as unhandled when nobody races any more
  aborted.catch(() => undefined);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    iterator.return?.().catch(() => undefined);
  }
}
