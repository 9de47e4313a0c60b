import type { Logger } from './logger.js';

/** Work that runs beside requests. Every promise in it is logged when it fails and awaited at stop. */
export interface TaskGroup {
  /** Aborted when the group stops. */
  readonly signal: AbortSignal;
  /** Start a task. Its failure is logged, never thrown. For periodic work see `createJobs`. */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  /** Number of tasks in progress. */
  size(): number;
  /** Abort the signal and wait for all tasks. */
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
      await Promise.all(running);
    },
  };
}
