import type { MonotonicClock } from '@panel/kit/async';

/** 1.7 KiB/s: slower clients would keep connections and files for ever. */
const minBytes = 512 * 1024;
const slowMs = 5 * 60_000;

interface PaceOptions {
  readonly clock: MonotonicClock;
  /** Ends the transfer. */
  readonly cut: () => void;
}

/** Of less than 512 KiB in 5 minutes of waiting for a client. */
class Pace {
  readonly #options: PaceOptions;
  #bytes = 0;
  #leftMs = slowMs;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** The result ends the wait. */
  wait(): () => void {
    const { clock, cut } = this.#options;
    const since = clock.now();
    const cancel = clock.after(this.#leftMs, cut);
    return () => {
      cancel();
      this.#leftMs -= clock.now() - since;
    };
  }

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < minBytes) return;
    this.#bytes = 0;
    this.#leftMs = slowMs;
  }
}

/** Cuts off a reader that takes too little. */
export async function* requireReadingPace(
  chunks: AsyncIterable<Buffer>,
  options: PaceOptions,
): AsyncGenerator<Buffer, undefined> {
  const pace = new Pace(options);
  for await (const chunk of chunks) {
    const endWait = pace.wait();
    try {
      yield chunk;
    } finally {
      endWait();
    }
    pace.count(chunk.length);
  }
  return undefined;
}

/** Ends where a sender sends too little: what has arrived is kept. */
export async function* requireSendingPace(
  chunks: AsyncIterable<Buffer>,
  { clock, cut }: PaceOptions,
): AsyncGenerator<Buffer, undefined> {
  let isSlow = false;
  let endSlow = (): void => undefined;
  const end = (): void => {
    isSlow = true;
    cut();
    endSlow();
  };
  const pace = new Pace({ clock, cut: end });
  const source = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const slow = new Promise<null>((resolve) => {
        endSlow = () => resolve(null);
      });
      const endWait = pace.wait();
      const next = await Promise.race([source.next(), slow]).finally(endWait);
      if (next === null || next.done === true) return undefined;
      pace.count(next.value.length);
      yield next.value;
    }
  } finally {
    // a return would wait for the next chunk
    if (!isSlow) await source.return?.();
  }
}
