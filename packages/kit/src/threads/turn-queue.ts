import { onAbort } from '../async/index.js';

export interface TurnLimits {
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

  /**
   * In the middle of long work: lets one of another key that waits go first. Resolves when it is this one's turn again,
   * before others of its key. Throws the signal's reason on abort, without the place.
   */
  async pass(key: string, signal: AbortSignal): Promise<void> {
    const { perKey = 1 } = this.limits;
    const next = [...this.#waiting.keys()].find((other) => other !== key && (this.#running.get(other) ?? 0) < perKey);
    if (next === undefined) return;
    this.#leave(key);
    const turn = this.#wait(key, signal, 'first');
    this.#begin(next);
    await turn;
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

  async #wait(key: string, signal: AbortSignal, place: 'first' | 'last' = 'last'): Promise<void> {
    const waiting = this.#waiting.get(key) ?? new Set();
    // behind all other keys
    if (place === 'first') this.#waiting.delete(key);
    this.#waiting.set(key, waiting);
    const before = place === 'first' ? [...waiting] : [];
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        stopListening();
        // at once: the place is this one's
        this.#enter(key);
        resolve();
      };
      for (const one of before) waiting.delete(one);
      for (const one of [begin, ...before]) waiting.add(one);
      const stopListening = onAbort(signal, () => {
        waiting.delete(begin);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        reject(signal.reason);
      });
    });
  }

  #free(key: string): void {
    this.#leave(key);
    const next = [...this.#waiting.keys()].find((waiting) => this.#isFree(waiting));
    if (next !== undefined) this.#begin(next);
  }

  #leave(key: string): void {
    const running = (this.#running.get(key) ?? 1) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    this.#count -= 1;
  }

  /** The first that waits of a key, whose others go behind all other keys. */
  #begin(key: string): void {
    const waiting = this.#waiting.get(key);
    const [begin] = waiting ?? [];
    this.#waiting.delete(key);
    if (!waiting || !begin) return;
    waiting.delete(begin);
    if (waiting.size > 0) this.#waiting.set(key, waiting);
    begin();
  }
}
