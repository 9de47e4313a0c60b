import { setTimeout as wait } from 'node:timers/promises';

/**
 * What a task comes to; or, once `signal` has aborted and `graceMs` more have passed, a rejection with the signal's
 * reason. The task itself goes on: somebody else will finish what it leaves.
 */
export async function raceAbort<T>(task: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  const done = new AbortController();
  const expired = async (): Promise<never> => {
    await aborted(signal, done.signal);
    await wait(graceMs, undefined, { signal: done.signal });
    throw signal.reason;
  };
  const expiry = expired();
  // When the task is done first, nobody waits for this any more.
  expiry.catch(() => undefined);
  try {
    return await Promise.race([task, expiry]);
  } finally {
    done.abort();
    task.catch(() => undefined);
  }
}

async function aborted(signal: AbortSignal, cancelled: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: cancelled });
    cancelled.addEventListener('abort', () => reject(cancelled.reason), { once: true });
  });
}
