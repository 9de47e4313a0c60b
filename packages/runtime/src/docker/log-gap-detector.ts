const nsPerMs = 1_000_000n;
/** Minimum time in which an engine fills a log file. */
const minJumpMs = 50;

/**
 * Detects possible omissions in a live log stream. At the end of a followed file an engine continues in the newest one,
 * so a reader two rotations late silently loses the files between (moby, daemon/logger/loggerutils). The sign: a jump
 * in the stamps after an entry that was read about as late as the jump is long. A quiet game also jumps, but is read at
 * once.
 */
export class LogGapDetector {
  readonly #openedAt: number;
  /** Upper bound of the local clock's lead over the engine's, in ms: entries are written before they are read. */
  #ahead: number;
  #heardAt: number;

  /** `engineDate`: the engine's time at the opening of the stream, to the second. */
  constructor(
    engineDate: string | undefined,
    private readonly clock: () => number = Date.now,
  ) {
    this.#openedAt = clock();
    this.#heardAt = this.#openedAt;
    const said = Date.parse(engineDate ?? '');
    this.#ahead = Number.isNaN(said) ? Infinity : this.#openedAt - said;
  }

  /** Call on arrival of bytes, before `took`. */
  heard(): void {
    this.#heardAt = this.clock();
  }

  /** An accepted entry, stamp in nanoseconds. Returns its delay in ms. */
  took(time: bigint): number {
    const age = this.#heardAt - Number(time / nsPerMs);
    this.#ahead = Math.min(this.#ahead, age);
    return age - this.#ahead;
  }

  /** Whether entries may be missing between one read `lateMs` late and the next. */
  isSuspicious(before: bigint, lateMs: number, next: bigint): boolean {
    const jumpMs = Number((next - before) / nsPerMs);
    if (jumpMs < minJumpMs || lateMs < jumpMs / 2) return false;
    // Entries from before the opening are complete.
    return Number(next / nsPerMs) + this.#ahead > this.#openedAt;
  }
}
