import type { MonotonicClock } from '@panel/kit/async';

interface IdleTimerOptions {
  readonly clock: MonotonicClock;
  readonly idleMs: number;
  readonly expire: () => void;
}

/** Expires once, `idleMs` after the last `touch`. Requests do not move timers. */
export class IdleTimer {
  readonly #options: IdleTimerOptions;
  #touchedAt: number;
  #cancel: () => void;

  constructor(options: IdleTimerOptions) {
    this.#options = options;
    this.#touchedAt = options.clock.now();
    this.#cancel = this.#wait(options.idleMs);
  }

  touch(): void {
    this.#touchedAt = this.#options.clock.now();
  }

  stop(): void {
    this.#cancel();
  }

  #wait(ms: number): () => void {
    const { clock, expire, idleMs } = this.#options;
    return clock.after(ms, () => {
      const leftMs = this.#touchedAt + idleMs - clock.now();
      if (leftMs <= 0) expire();
      else this.#cancel = this.#wait(leftMs);
    });
  }
}
