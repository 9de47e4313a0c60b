/** Bounded by count and weight. */
export class RingBuffer<T> {
  #items: { readonly item: T; readonly weight: number }[] = [];
  #first = 0;
  #weight = 0;

  constructor(
    private readonly maxItems: number,
    private readonly maxWeight: number,
  ) {}

  push(item: T, weight: number): void {
    this.#items.push({ item, weight });
    this.#weight += weight;
    while (this.size > 1 && (this.size > this.maxItems || this.#weight > this.maxWeight)) {
      this.#weight -= this.#items[this.#first]?.weight ?? 0;
      this.#first++;
    }
    // In bulk: each removal moves all other items.
    if (this.#first > this.maxItems) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
  }

  get size(): number {
    return this.#items.length - this.#first;
  }

  oldest(): T | undefined {
    return this.#items[this.#first]?.item;
  }

  /** Oldest first. */
  last(count: number): T[] {
    const from = Math.max(this.#first, this.#items.length - Math.max(0, count));
    return this.#items.slice(from).map(({ item }) => item);
  }

  clear(): void {
    this.#items = [];
    this.#first = 0;
    this.#weight = 0;
  }
}
