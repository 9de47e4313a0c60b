import { onAbort } from '@panel/kit/async';

interface TurnLimits {
  /** In all; one of each key. */
  readonly concurrency: number;
  /** Of each key. */
  readonly maxWaiting: number;
  readonly refusal: () => Error;
}

/** The keys take turns: a customer who asks much waits behind others who ask once. */
export class TurnQueue {
  readonly #running = new Set<string>();
  /** The next key first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(private readonly limits: TurnLimits) {}

  /** The returned function frees the place. Throws `refusal` when too many wait, the signal's reason on abort. */
  async take(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#isFree(key)) await this.#wait(key, signal);
    this.#running.add(key);
    return () => this.#free(key);
  }

  #isFree(key: string): boolean {
    return this.#running.size < this.limits.concurrency && !this.#running.has(key);
  }

  async #wait(key: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(key) ?? new Set();
    if (waiting.size >= this.limits.maxWaiting) throw this.limits.refusal();
    this.#waiting.set(key, waiting);
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        stopListening();
        // at once: the place is this one's
        this.#running.add(key);
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
    this.#running.delete(key);
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
