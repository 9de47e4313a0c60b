import type { BigIntStats } from 'node:fs';
import { identityOf } from '../jail/tree.js';

/** Maximum with paths in memory; links beyond it become separate files. */
const maxRemembered = 20_000;

/** Hard-linked files seen in a walk, each with a value. */
export class HardLinks<T> {
  readonly #known = new Map<string, T>();

  /** The value from an earlier name. */
  find(stats: BigIntStats): T | undefined {
    return stats.nlink > 1n ? this.#known.get(identityOf(stats)) : undefined;
  }

  note(stats: BigIntStats, value: T): void {
    if (stats.nlink > 1n && this.#known.size < maxRemembered) this.#known.set(identityOf(stats), value);
  }
}
