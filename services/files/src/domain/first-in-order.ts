/** Sorted at once; 1,024 names take about 5 ms. */
const sliceLength = 1_024;

/** Keeps up to twice as many in memory. */
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

  /** `compact` is due afterwards when `isFull`. */
  add(item: T): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) >= 0) return;
    this.#retained.push(item);
  }

  get isFull(): boolean {
    return this.#retained.length >= 2 * this.#count + 1_000;
  }

  /** Yields after each slice of the work. */
  *compact(): Generator<undefined, undefined> {
    const sorted = yield* sortInSlices(this.#retained, this.#compare);
    this.#retained = sorted.slice(0, this.#count);
    if (this.#retained.length === this.#count) this.#last = this.#retained.at(-1);
    return undefined;
  }

  /** In order, after `compact`. */
  values(): readonly T[] {
    return this.#retained;
  }
}

/** Merge sort. */
function* sortInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<undefined, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += sliceLength) {
    runs.push(items.slice(at, at + sliceLength).sort(compare));
    yield undefined;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergeInSlices(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInSlices<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, T[]> {
  const merged: T[] = [];
  for (let [i, j] = [0, 0]; i < left.length || j < right.length;) {
    const [a, b] = [left[i], right[j]];
    const isLeft = b === undefined || (a !== undefined && compare(a, b) <= 0);
    const next = isLeft ? a : b;
    if (next !== undefined) merged.push(next);
    if (isLeft) i += 1;
    else j += 1;
    if (merged.length % sliceLength === 0) yield undefined;
  }
  return merged;
}
