import type { TaskGroup } from '@panel/kit/process';

export interface RunProgress {
  step: string;
  /** 0 to 100. */
  percent: number;
}

export interface SharedRun {
  readonly progress: RunProgress;
  readonly result: Promise<void>;
  readonly abort: AbortController;
  /** Empty: outlives the volume. */
  readonly serverId: string;
}

/** Callers of a key share a run, which continues without them until its end, abort or shutdown. */
export class SharedRuns {
  readonly #runs = new Map<string, SharedRun>();
  readonly #tasks: TaskGroup;

  constructor(tasks: TaskGroup) {
    this.#tasks = tasks;
  }

  find(key: string): SharedRun | undefined {
    return this.#runs.get(key);
  }

  /** Aborts what writes the files of a server, and waits for its end. */
  async endRunsOf(serverId: string, reason: Error): Promise<void> {
    const own = [...this.#runs.values()].filter((run) => run.serverId === serverId);
    for (const { abort } of own) abort.abort(reason);
    await Promise.allSettled(own.map(async ({ result }) => result));
  }

  join(key: string, work: (progress: RunProgress, signal: AbortSignal) => Promise<void>, serverId = ''): SharedRun {
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
    // possibly without callers
    result.catch(() => undefined);
    const run = { progress, result, abort, serverId };
    this.#runs.set(key, run);
    return run;
  }
}
