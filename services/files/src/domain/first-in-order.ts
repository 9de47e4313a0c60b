/** Keeps the first `count` of what is added, by `compare`, in memory for twice as many. */
export class FirstInOrder<T> {
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;
  #kept: T[] = [];
  /** Whatever comes after it is not kept; undefined until there are enough. */
  #last: T | undefined;

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  add(item: T): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) >= 0) return;
    this.#kept.push(item);
    if (this.#kept.length >= 2 * this.#count + 1_000) this.#compact();
  }

  /** In order. */
  values(): readonly T[] {
    this.#compact();
    return this.#kept;
  }

  #compact(): void {
    this.#kept = this.#kept.sort(this.#compare).slice(0, this.#count);
    if (this.#kept.length === this.#count) this.#last = this.#kept.at(-1);
  }
}
