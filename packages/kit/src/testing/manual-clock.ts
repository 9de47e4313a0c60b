import { setImmediate } from 'node:timers/promises';
import type { MonotonicClock } from '../async/monotonic-clock.js';

export class ManualClock implements MonotonicClock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers run in order, each followed by pending promise callbacks. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (let next = this.#due(end); next; next = this.#due(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#timers.delete(next);
      next.run();
      await setImmediate();
    }
    this.#now = end;
    await setImmediate();
  }

  /** Timers run late, at the next `advance`. */
  pause(ms: number): void {
    this.#now += ms;
  }

  get pending(): number {
    return this.#timers.size;
  }

  #due(end: number) {
    return [...this.#timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
  }
}
