/** Runs work one piece after the other per key. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    // what comes before may fail; that is its caller's business
    const own = before.then(work, work);
    tails.set(key, own);
    try {
      return await own;
    } finally {
      if (tails.get(key) === own) tails.delete(key);
    }
  };
}
