/** Well above what a console is read for; a game that writes more waits, as at any terminal. */
const bytesPerSecond = 8 * 1024 * 1024;
/** A game that prints its world at once does not wait. */
const burstBytes = 32 * 1024 * 1024;

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/**
 * Holds a stream to a rate by pausing it, so that a game that prints without end takes no processor from its neighbours:
 * its pipe fills and its writes wait. Nothing here may import more than Node: the shim of every game loads it.
 */
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

  /** So many bytes have been read: pauses the stream for as long as they take above the rate. */
  read(bytes: number): void {
    const now = performance.now();
    this.#bytes = Math.min(this.burst, this.#bytes + ((now - this.#refilledAt) / 1000) * this.rate) - bytes;
    this.#refilledAt = now;
    if (this.#bytes >= 0) return;
    this.stream.pause();
    setTimeout(() => this.stream.resume(), Math.ceil((-this.#bytes / this.rate) * 1000));
  }
}
