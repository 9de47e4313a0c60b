import type { BigIntStats } from 'node:fs';
import { identityOf } from '../jail/tree.js';

/** Files remembered at a time; each has a path. Those beyond are files of their own, as is every name of theirs. */
const maxRemembered = 20_000;

/** Files that have several names, as a walk comes across them, with something known of each. */
export class HardLinks<T> {
  readonly #known = new Map<string, T>();

  /** What was noted at an earlier name of this file. */
  find(stats: BigIntStats): T | undefined {
    return stats.nlink > 1n ? this.#known.get(identityOf(stats)) : undefined;
  }

  note(stats: BigIntStats, value: T): void {
    if (stats.nlink > 1n && this.#known.size < maxRemembered) this.#known.set(identityOf(stats), value);
  }
}
