const nsPerMs = 1_000_000n;
/** No engine fills a whole file of its log in less. */
const minJumpMs = 50;

/**
 * Detects when a live stream of an engine's log may have left something out. An engine that comes to the end of a file
 * it follows continues in the newest one: a reader that is two rotations late loses the files between, without notice
 * (moby, daemon/logger/loggerutils). What shows is a jump in the stamps right after an entry that was itself read about
 * as late as the jump is long. A quiet game jumps too, but is read at once.
 */
export class LogGapDetector {
  readonly #openedAt: number;
  /** By how much our clock is before the engine's, at most, in ms: what is read was written before. */
  #ahead: number;
  #heardAt: number;

  /** `engineDate`: what the engine said of the time when it opened the stream, to the second. */
  constructor(
    engineDate: string | undefined,
    private readonly clock: () => number = Date.now,
  ) {
    this.#openedAt = clock();
    this.#heardAt = this.#openedAt;
    const said = Date.parse(engineDate ?? '');
    this.#ahead = Number.isNaN(said) ? Infinity : this.#openedAt - said;
  }

  /** Bytes have come: what is asked about next is in them. */
  heard(): void {
    this.#heardAt = this.clock();
  }

  /** An entry that was taken, with its stamp in nanoseconds. Returns how late it was read, in ms. */
  took(time: bigint): number {
    const age = this.#heardAt - Number(time / nsPerMs);
    this.#ahead = Math.min(this.#ahead, age);
    return age - this.#ahead;
  }

  /** Whether something may be missing between an entry that was read `lateMs` late and the next one. */
  isSuspicious(before: bigint, lateMs: number, next: bigint): boolean {
    const jumpMs = Number((next - before) / nsPerMs);
    if (jumpMs < minJumpMs || lateMs < jumpMs / 2) return false;
    // What the engine held when it opened the stream, it gives whole.
    return Number(next / nsPerMs) + this.#ahead > this.#openedAt;
  }
}
