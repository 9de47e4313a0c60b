import { fail } from '../reasons.js';

/** Lets a few tasks run at once and a bounded number wait. */
export interface Turnstile {
  /** Run a task when its turn comes. Throws HASHING_BUSY at once when too many wait, the signal's reason when it aborts. */
  pass<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createTurnstile(limits: { parallel: number; waiting: number }): Turnstile {
  const queue: Array<() => void> = [];
  let running = 0;
  const enter = async (signal?: AbortSignal) => {
    if (running < limits.parallel) {
      running += 1;
      return;
    }
    if (queue.length >= limits.waiting) throw fail('HASHING_BUSY', 'too many sign-ins at once, try again in a second');
    // The one who leaves hands its place over: `running` stays as it is.
    await new Promise<void>((resolve) => queue.push(resolve));
    if (!signal?.aborted) return;
    leave();
    throw signal.reason;
  };
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    pass: async (task, signal) => {
      await enter(signal);
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
}
