import type { Logger } from './logger.js';

/** Failures are logged; stop awaits all. */
export interface TaskGroup {
  readonly signal: AbortSignal;
  /** Failures are logged, never thrown. For periodic work see `createJobs`. */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  size(): number;
  stop(): Promise<void>;
}

export function createTaskGroup(log: Logger): TaskGroup {
  const abort = new AbortController();
  const running = new Set<Promise<void>>();
  const runLogged = async (name: string, task: (signal: AbortSignal) => Promise<void>) => {
    try {
      await task(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) log.error({ err: error, task: name }, 'a background task failed');
    }
  };
  return {
    signal: abort.signal,
    run: (name, task) => {
      const promise = runLogged(name, task);
      running.add(promise);
      void promise.finally(() => running.delete(promise));
    },
    size: () => running.size,
    stop: async () => {
      abort.abort(new Error('stopping'));
      // A task may begin another one at its end.
      while (running.size > 0) await Promise.all(running);
    },
  };
}
