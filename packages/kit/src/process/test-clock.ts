/** Where the time of the installation comes from. */
interface InstallationClock {
  readonly now: () => Date;
  /**
   * When this process could first act on `due`: the end of the move that skipped it, else `due`. For what measures how
   * late it is.
   */
  readonly reached: (due: Date) => Date;
}

/** Without a test clock. */
export const realClock: InstallationClock = { now: () => new Date(), reached: (due) => due };

/** Real time and an offset that only grows. */
export class TestClock implements InstallationClock {
  #offsetMs: number;
  /** The latest move, in its own time. */
  #skipped = { from: -Infinity, to: -Infinity };

  constructor(offsetMs: number) {
    this.#offsetMs = offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  readonly now = (): Date => new Date(Date.now() + this.#offsetMs);

  readonly reached = (due: Date): Date => {
    const { from, to } = this.#skipped;
    return due.getTime() > from && due.getTime() < to ? new Date(to) : due;
  };

  /** Ignores a move back. */
  moveTo(offsetMs: number): void {
    if (offsetMs <= this.#offsetMs) return;
    const from = this.now().getTime();
    this.#offsetMs = offsetMs;
    this.#skipped = { from, to: this.now().getTime() };
  }
}
