import { fail } from '../reasons.js';
import { openFileLimit, openFileShare } from './open-files.js';

/** Parallel transfers and mounts open a few hundred. */
const maxPerUser = 512;

interface HandleLimits {
  readonly perUser: number;
  readonly total: number;
}

/** Open handles over all connections: each holds a file of the process. */
export class HandlePlaces {
  readonly #limits: HandleLimits;
  readonly #byUser = new Map<string, number>();
  #total = 0;

  constructor(limits: HandleLimits = { perUser: maxPerUser, total: Math.floor(openFileLimit() * openFileShare) }) {
    this.#limits = limits;
  }

  /** Throws BUSY above a limit; otherwise `leave` must follow. */
  enter(userId: string): void {
    const { perUser, total } = this.#limits;
    const ofUser = this.#byUser.get(userId) ?? 0;
    if (ofUser >= perUser) throw fail('BUSY', `an account may have ${perUser} files open`);
    if (this.#total >= total) throw fail('BUSY', 'the node has too many files open; try again later');
    this.#byUser.set(userId, ofUser + 1);
    this.#total += 1;
  }

  leave(userId: string): void {
    const ofUser = (this.#byUser.get(userId) ?? 0) - 1;
    if (ofUser > 0) this.#byUser.set(userId, ofUser);
    else this.#byUser.delete(userId);
    this.#total -= 1;
  }
}
