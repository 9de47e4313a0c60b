/** As long as an answer may be asked for again after it was lost on its way. */
const keptMs = 10 * 60_000;
/** Of all servers of the node. */
const maxKept = 10_000;

/**
 * Makes things once per creation id (see CallContext): a repetition, also a parallel one, is given the first answer. This is
 * memory of the process; after its death `Creations` knows.
 */
export class RecentCreations<T> {
  readonly #answers = new Map<string, { readonly answer: Promise<T>; readonly until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  async once(serverId: string, idempotencyId: string | undefined, make: () => Promise<T>): Promise<T> {
    if (idempotencyId === undefined) return make();
    const name = `${serverId} ${idempotencyId}`;
    const earlier = this.#answers.get(name);
    if (earlier && earlier.until > this.now()) return earlier.answer;
    const answer = make();
    this.#keep(name, answer);
    try {
      return await answer;
    } catch (error) {
      // Nothing was made: it may be tried again.
      this.#answers.delete(name);
      throw error;
    }
  }

  /** The oldest go first: a map keeps the order of insertion. */
  #keep(name: string, answer: Promise<T>): void {
    this.#answers.delete(name);
    for (const [oldest, { until }] of this.#answers) {
      if (until > this.now() && this.#answers.size < maxKept) break;
      this.#answers.delete(oldest);
    }
    this.#answers.set(name, { answer, until: this.now() + keptMs });
  }
}
