/** A place in the output of a run at which a line begins. */
export interface LinePosition {
  /** Null: the beginning of the run. */
  readonly cursor: string | null;
  /** Number of the line before it. */
  readonly sequence: number;
}

const maxPositions = 64;

/**
 * Places in the output of one run, oldest first, from which its lines can be numbered again. Their number is bounded: when
 * there are too many, every second one goes, so that a long run keeps places all over it.
 */
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

  /** Where to begin to read for a line, and where to go on if that place is no longer held: newest first, then later ones. */
  candidates(sequence: number, before: number): LinePosition[] {
    const first = this.#all.findLastIndex((position) => position.sequence < sequence);
    return this.#all.slice(Math.max(0, first)).filter((position) => position.sequence < before - 1);
  }
}
