const nsPerMs = 1_000_000n;
/** Minimum time in which an engine fills a log file. */
const minJumpMs = 50;

/**
 * Detects possible omissions in a live log stream. At a file's end an engine continues in the newest one, so a reader
 * two rotations late silently loses files (moby, daemon/logger/loggerutils). The sign: a stamp jump about as long as
 * the delay of the entry before it. A quiet game also jumps, but is read at once.
 */
export class LogGapDetector {
  readonly #openedAt: number;
  /** Upper bound of the local clock's lead over the engine's, in ms. */
  #ahead: number;
  #heardAt: number;

  /** `engineDate`: the engine's time at the opening, to the second. */
  constructor(
    engineDate: string | undefined,
    private readonly clock: () => number = Date.now,
  ) {
    this.#openedAt = clock();
    this.#heardAt = this.#openedAt;
    const said = Date.parse(engineDate ?? '');
    this.#ahead = Number.isNaN(said) ? Infinity : this.#openedAt - said;
  }

  /** Call before `took`. */
  heard(): void {
    this.#heardAt = this.clock();
  }

  /** Stamp in nanoseconds. Returns the entry's delay in ms. */
  took(time: bigint): number {
    const age = this.#heardAt - Number(time / nsPerMs);
    this.#ahead = Math.min(this.#ahead, age);
    return age - this.#ahead;
  }

  /** Whether entries may be missing after one read `lateMs` late. */
  isSuspicious(before: bigint, lateMs: number, next: bigint): boolean {
    const jumpMs = Number((next - before) / nsPerMs);
    if (jumpMs < minJumpMs || lateMs < jumpMs / 2) return false;
    return Number(next / nsPerMs) + this.#ahead > this.#openedAt;
  }
}
