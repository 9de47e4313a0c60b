/** Far above a console's needs; a faster game waits. */
const bytesPerSecond = 8 * 1024 * 1024;
/** Enough for a game that prints its world at once. */
const burstBytes = 32 * 1024 * 1024;

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Limits a stream's rate by pausing it. Imports nothing but Node, because every game's shim loads it. */
export class ReadPace {
  #bytes: number;
  #refilledAt: number;

  constructor(
    private readonly stream: Pausable,
    private readonly rate = bytesPerSecond,
    private readonly burst = burstBytes,
  ) {
    this.#bytes = burst;
    this.#refilledAt = performance.now();
  }

  /** Pauses the stream for the excess over the rate. */
  read(bytes: number): void {
    const now = performance.now();
    this.#bytes = Math.min(this.burst, this.#bytes + ((now - this.#refilledAt) / 1000) * this.rate) - bytes;
    this.#refilledAt = now;
    if (this.#bytes >= 0) return;
    this.stream.pause();
    setTimeout(() => this.stream.resume(), Math.ceil((-this.#bytes / this.rate) * 1000));
  }
}
