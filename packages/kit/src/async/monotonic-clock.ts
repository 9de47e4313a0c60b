/** Tests use their own (`@panel/kit/testing`). */
export interface MonotonicClock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** The result cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Its timers do not keep the process alive. */
export const monotonicClock: MonotonicClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    // A moment may have passed since `ms` was computed.
    const timer = setTimeout(run, Math.max(0, ms)).unref();
    return () => clearTimeout(timer);
  },
};
