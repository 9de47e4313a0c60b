/** Keeps about twice as many in memory. */
export class FirstInOrder<T> {
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;
  #retained: T[] = [];
  /** Upper bound; undefined until full. */
  #last: T | undefined;

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) >= 0) return;
    this.#retained.push(item);
    if (this.#retained.length >= 2 * this.#count + 1_000) this.#compact();
  }

  /** In order. */
  values(): readonly T[] {
    this.#compact();
    return this.#retained;
  }

  #compact(): void {
    this.#retained = this.#retained.sort(this.#compare).slice(0, this.#count);
    if (this.#retained.length === this.#count) this.#last = this.#retained.at(-1);
  }
}
