import type { CountResponse, Counters } from './counters.js';

/** After a failure on an open connection the shared counters are left alone for this long, so that a Redis that hangs delays few requests. */
const pauseMs = 1_000;

/**
 * `shared`, and while that fails `own`: limits go on, in this process alone, and nothing of identity is kept. After a
 * pause one request tries `shared` again.
 */
export function createResilientCounters(
  shared: Counters,
  own: Counters,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Counters {
  let pausedUntil = -Infinity;
  return {
    count: async (counts, userId): Promise<CountResponse> => {
      if (!shared.isUp() || now() < pausedUntil) return own.count(counts, userId);
      try {
        return await shared.count(counts, userId);
      } catch (error) {
        pausedUntil = now() + pauseMs;
        onFailure(error);
        return own.count(counts, userId);
      }
    },
    isUp: () => true,
    stop: async () => {
      await shared.stop();
      await own.stop();
    },
  };
}
