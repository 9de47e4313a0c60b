/** Sustained rates well above what the busiest game prints for a reason, and a burst for those that print their world. */
const linesPerSecond = 15_000;
const burstLines = 200_000;
const bytesPerSecond = 4 * 1024 * 1024;
const burstBytes = 32 * 1024 * 1024;
/** Lines go out no faster than this, so that a burst reaches readers instead of overrunning them. */
const pacedLinesPerMs = 30;
/** Shorter waits than this are not worth a timer. */
const minPauseMs = 10;
const noticeEveryMs = 1_000;

/**
 * Decides which lines of a flood are let through. Short bursts pass whole but spread out (`pauseMs`); a lasting flood
 * loses what is above the rate, and is told so once a second.
 */
export class FloodGuard {
  #lines = burstLines;
  #bytes = burstBytes;
  #refilledAt: number;
  /** Lines let through that their readers have had no time for yet. */
  #debt = 0;
  #pacedAt: number;
  #dropped = 0;
  #noticeAt = 0;

  constructor(private readonly clock: () => number = () => performance.now()) {
    this.#refilledAt = clock();
    this.#pacedAt = clock();
  }

  /** Whether a line may pass. */
  admit(bytes: number): boolean {
    this.#refill();
    if (this.#lines < 1 || this.#bytes < bytes) {
      this.#dropped++;
      return false;
    }
    this.#lines--;
    this.#bytes -= bytes;
    this.#debt++;
    return true;
  }

  /** How long to wait before more output is read; 0 most of the time. */
  pauseMs(): number {
    const now = this.clock();
    this.#debt = Math.max(0, this.#debt - (now - this.#pacedAt) * pacedLinesPerMs);
    this.#pacedAt = now;
    const ms = this.#debt / pacedLinesPerMs;
    return ms < minPauseMs ? 0 : ms;
  }

  /** Number of lines left out since the last notice, at most once a second; 0 when there is nothing to say. */
  takeNotice(): number {
    const now = this.clock();
    if (this.#dropped === 0 || now < this.#noticeAt) return 0;
    this.#noticeAt = now + noticeEveryMs;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #refill(): void {
    const now = this.clock();
    const seconds = (now - this.#refilledAt) / 1000;
    this.#refilledAt = now;
    this.#lines = Math.min(burstLines, this.#lines + seconds * linesPerSecond);
    this.#bytes = Math.min(burstBytes, this.#bytes + seconds * bytesPerSecond);
  }
}
