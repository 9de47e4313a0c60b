/** Runs at most `limit` pieces of work at the same time, the others in the order they came. */
export function createLimiter(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // the place goes straight to the next in line, so nobody can slip in between
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
