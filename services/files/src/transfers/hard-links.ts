import type { BigIntStats } from 'node:fs';
import { identityOf } from '../jail/tree.js';

/** With paths in memory; further links become files. */
const maxRemembered = 20_000;

export class HardLinks<T> {
  readonly #known = new Map<string, T>();

  find(stats: BigIntStats): T | undefined {
    return stats.nlink > 1n ? this.#known.get(identityOf(stats)) : undefined;
  }

  note(stats: BigIntStats, value: T): void {
    if (stats.nlink > 1n && this.#known.size < maxRemembered) this.#known.set(identityOf(stats), value);
  }
}
