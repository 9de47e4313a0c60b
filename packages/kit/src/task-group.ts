import type { Logger } from './logger.js';
import { pause } from './pause.js';

/** Work that runs beside requests. Every promise in it is logged when it fails and awaited at stop. */
export interface TaskGroup {
  /** Aborted when the group stops. */
  readonly signal: AbortSignal;
  /** Begin a task. Its failure is logged, never thrown. */
  run(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  /** Run a task again and again, `intervalMs` after its end, until the group stops. */
  every(name: string, intervalMs: number, task: (signal: AbortSignal) => Promise<void>): void;
  /** Tasks under way. */
  size(): number;
  /** Abort the signal and wait for all tasks. */
  stop(): Promise<void>;
}

export function createTaskGroup(log: Logger): TaskGroup {
  const abort = new AbortController();
  const running = new Set<Promise<void>>();
  const guarded = async (name: string, task: (signal: AbortSignal) => Promise<void>) => {
    try {
      await task(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) log.error({ err: error, task: name }, 'a background task failed');
    }
  };
  const track = (promise: Promise<void>) => {
    running.add(promise);
    void promise.finally(() => running.delete(promise));
  };
  return {
    signal: abort.signal,
    run: (name, task) => track(guarded(name, task)),
    every: (name, intervalMs, task) =>
      track(
        (async () => {
          while (!abort.signal.aborted) {
            await guarded(name, task);
            if (!abort.signal.aborted) await pause(intervalMs, abort.signal);
          }
        })(),
      ),
    size: () => running.size,
    stop: async () => {
      abort.abort(new Error('stopping'));
      await Promise.all(running);
    },
  };
}
