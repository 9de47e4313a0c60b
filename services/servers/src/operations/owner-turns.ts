import type { DueWork } from '../models/servers/due-work.js';

/** Owners remembered; a forgotten one counts as never served. */
const maxRemembered = 10_000;

/**
 * Owners take turns at a replica's places: the next is for the owner who holds the fewest, among them for the one who
 * got one longest ago. One owner leaves a place to others, because some work takes hours.
 */
export class OwnerTurns {
  readonly #held = new Map<string, number>();
  /** The last served last. */
  readonly #served = new Set<string>();

  constructor(private readonly places: number) {}

  /** Ids in the order of their turns. */
  order(due: readonly DueWork[]): string[] {
    const turns = new Map([...this.#served].map((ownerId, turn) => [ownerId, turn]));
    return due
      .flatMap(({ ownerId, ids }) => {
        const [held, turn] = [this.#held.get(ownerId) ?? 0, turns.get(ownerId) ?? -1];
        return ids.map((id, index) => ({ id, turn, place: held + index + 1 }));
      })
      .filter(({ place }) => place < this.places)
      .toSorted((a, b) => a.place - b.place || a.turn - b.turn)
      .map(({ id }) => id);
  }

  /** A place, until the end of the work. */
  async hold(ownerId: string, work: () => Promise<void>): Promise<void> {
    this.#held.set(ownerId, (this.#held.get(ownerId) ?? 0) + 1);
    this.#served.delete(ownerId);
    this.#served.add(ownerId);
    const [oldest] = this.#served;
    if (this.#served.size > maxRemembered && oldest !== undefined) this.#served.delete(oldest);
    try {
      await work();
    } finally {
      const held = (this.#held.get(ownerId) ?? 1) - 1;
      if (held > 0) this.#held.set(ownerId, held);
      else this.#held.delete(ownerId);
    }
  }
}
