import type { TaskGroup } from '@panel/kit/process';

/** Where work is; changed by the work itself. */
export interface RunProgress {
  step: string;
  /** 0 to 100. */
  percent: number;
}

/** Work in progress that several callers may watch. */
export interface SharedRun {
  readonly progress: RunProgress;
  /** Settles when the work has ended. */
  readonly result: Promise<void>;
  readonly abort: AbortController;
}

/**
 * Work by key: callers of the same key share one run. It goes on without them, until it ends, is aborted, or this process
 * stops.
 */
export class SharedRuns {
  readonly #runs = new Map<string, SharedRun>();
  readonly #tasks: TaskGroup;

  constructor(tasks: TaskGroup) {
    this.#tasks = tasks;
  }

  find(key: string): SharedRun | undefined {
    return this.#runs.get(key);
  }

  join(key: string, work: (progress: RunProgress, signal: AbortSignal) => Promise<void>): SharedRun {
    const running = this.#runs.get(key);
    if (running) return running;
    const progress: RunProgress = { step: 'waiting', percent: 0 };
    const abort = new AbortController();
    const result = new Promise<void>((resolve, reject) => {
      this.#tasks.run(`backup ${key}`, async (stopping) => {
        try {
          await work(progress, AbortSignal.any([stopping, abort.signal]));
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error('a backup run has failed'));
        } finally {
          this.#runs.delete(key);
        }
      });
    });
    // reported to callers, of whom there may be none
    result.catch(() => undefined);
    const run = { progress, result, abort };
    this.#runs.set(key, run);
    return run;
  }
}
