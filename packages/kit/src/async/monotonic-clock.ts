/** Time that only goes forward. Tests move one of their own (`@panel/kit/testing`). */
export interface MonotonicClock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Calls `run` once, `ms` from now. The result cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The clock of this process. Its timers do not keep the process alive. */
export const monotonicClock: MonotonicClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
