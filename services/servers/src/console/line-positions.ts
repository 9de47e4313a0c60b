/** The start of a line. */
export interface LinePosition {
  /** Null: start of the run. */
  readonly cursor: string | null;
  /** Number of the preceding line. */
  readonly sequence: number;
}

const maxPositions = 64;

/** Positions of one run, oldest first. At the limit every second one is removed: they stay spread over a long run. */
export class LinePositions {
  #all: LinePosition[] = [];

  reset(positions: readonly LinePosition[]): void {
    this.#all = [...positions];
  }

  add(position: LinePosition): void {
    this.#all.push(position);
    if (this.#all.length > maxPositions) this.#all = this.#all.filter((_, index) => index % 2 === 0);
  }

  all(): readonly LinePosition[] {
    return this.#all;
  }

  /** The nearest earlier position, then later ones if the engine has dropped that. */
  candidates(sequence: number, before: number): LinePosition[] {
    const first = this.#all.findLastIndex((position) => position.sequence < sequence);
    return this.#all.slice(Math.max(0, first)).filter((position) => position.sequence < before - 1);
  }
}
