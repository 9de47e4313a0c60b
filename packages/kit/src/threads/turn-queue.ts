import { onAbort } from '../async/index.js';

interface TurnLimits {
  /** In all. */
  readonly concurrency: number;
  /** Of each key. Default: 1. */
  readonly perKey?: number;
  /** Absent: none is refused. */
  readonly wait?: WaitLimits;
}

interface WaitLimits {
  /** Of each key. */
  readonly maxWaiting: number;
  readonly refusal: () => Error;
  readonly maxWaitMs: number;
  readonly late: () => Error;
}

/** The keys take turns: a customer who asks much waits behind others who ask once. */
export class TurnQueue {
  readonly #running = new Map<string, number>();
  #count = 0;
  /** The next key first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly limits: TurnLimits) {}

  /**
   * The returned function frees the place. Throws `refusal` when too many wait, `late` after `maxWaitMs`, the signal's
   * reason on abort.
   */
  async take(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#isFree(key))
      await (this.limits.wait ? this.#waitInTime(key, signal, this.limits.wait) : this.#wait(key, signal));
    else this.#enter(key);
    return () => this.#free(key);
  }

  async #waitInTime(
    key: string,
    signal: AbortSignal,
    { maxWaiting, refusal, maxWaitMs, late }: WaitLimits,
  ): Promise<void> {
    if ((this.#waiting.get(key)?.size ?? 0) >= maxWaiting) throw refusal();
    const timeout = AbortSignal.timeout(maxWaitMs);
    try {
      await this.#wait(key, AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      throw timeout.aborted ? late() : error;
    }
  }

  #isFree(key: string): boolean {
    const { concurrency, perKey = 1 } = this.limits;
    return this.#count < concurrency && (this.#running.get(key) ?? 0) < perKey;
  }

  #enter(key: string): void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    this.#count += 1;
  }

  async #wait(key: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        stopListening();
        // at once: the place is this one's
        this.#enter(key);
        resolve();
      };
      waiting.add(begin);
      const stopListening = onAbort(signal, () => {
        waiting.delete(begin);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        reject(signal.reason);
      });
    });
  }

  #free(key: string): void {
    const running = (this.#running.get(key) ?? 1) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    this.#count -= 1;
    for (const [next, waiting] of this.#waiting) {
      if (!this.#isFree(next)) continue;
      const [begin] = waiting;
      this.#waiting.delete(next);
      if (!begin) continue;
      waiting.delete(begin);
      if (waiting.size > 0) this.#waiting.set(next, waiting);
      begin();
      return;
    }
  }
}
