interface Pending<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Longer commands delay other Redis clients. */
const maxBatch = 500;

/** One call of `run` per event loop turn, results in order. A rejection rejects all items. */
export function createTurnBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let pending: Pending<Item, Result>[] = [];
  const runBatch = async (batch: readonly Pending<Item, Result>[]) => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const flush = () => {
    const items = pending;
    pending = [];
    for (let start = 0; start < items.length; start += maxBatch) void runBatch(items.slice(start, start + maxBatch));
  };
  return async (item) =>
    new Promise((resolve, reject) => {
      if (pending.push({ item, resolve, reject }) === 1) setImmediate(flush);
    });
}
