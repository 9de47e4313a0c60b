import type { OutputChunk, ReadOutputOptions } from '../runtime.js';
import type { LineTails } from './line-tail.js';

const lastBytes = 256;
/** Without a known preceding line, this much silence counts as read. */
const quietLogMs = 150;

/**
 * A container's log chunks and previews of its unfinished line. A preview follows once the log is read up to that line.
 */
export async function* withPreviews(
  read: (options: ReadOutputOptions) => AsyncGenerator<OutputChunk>,
  options: ReadOutputOptions,
  tails: LineTails,
  containerId: string,
): AsyncGenerator<OutputChunk> {
  const stop = new AbortController();
  const chunks = read({ ...options, signal: AbortSignal.any([options.signal, stop.signal]) });
  const tail = tails.acquire(containerId);
  let wake: () => void = () => undefined;
  const onQuiet = () => wake();
  tail.listeners.add(onQuiet);
  let readAt = performance.now();
  const isNext = () => {
    const follows = tail.follows(lastEntry);
    const waitMs = readAt + quietLogMs - performance.now();
    if (follows === null && waitMs > 0) setTimeout(onQuiet, waitMs).unref();
    return follows ?? waitMs <= 0;
  };
  let [lastEntry, cursor, previewed] = [Buffer.alloc(0), options.after ?? '', Buffer.alloc(0)];
  try {
    let next = nextOf(chunks);
    for (;;) {
      tail.ensureOpen();
      const { partial } = tail;
      if (partial !== null && !partial.equals(previewed) && isNext()) {
        previewed = Buffer.from(partial);
        yield { data: previewed, at: new Date(), cursor, isPreview: true };
        continue;
      }
      const quiet = new Promise<null>((resolve) => {
        wake = () => resolve(null);
      });
      const result = await Promise.race([next, quiet]);
      if (result === null) continue;
      if (result.done === true) return;
      readAt = performance.now();
      lastEntry = Buffer.from(result.value.data.subarray(-lastBytes));
      cursor = result.value.cursor;
      previewed = Buffer.alloc(0);
      yield result.value;
      next = nextOf(chunks);
    }
  } finally {
    tail.listeners.delete(onQuiet);
    tails.release(containerId, tail);
    stop.abort();
    await chunks.return(undefined);
  }
}

/** Handles a rejection before it is awaited. */
function nextOf(chunks: AsyncGenerator<OutputChunk>): Promise<IteratorResult<OutputChunk>> {
  const next = chunks.next();
  next.catch(() => undefined);
  return next;
}
