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

/** Progress at most four times a second, and at least every 5 s, until the run has ended. Throws what the run throws. */
export async function* watchRun<P extends object>(
  { progress, result }: { readonly progress: P; readonly result: Promise<void> },
  signal: AbortSignal,
): AsyncGenerator<P> {
  const tickMs = 250;
  const maxIdleTicks = 20;
  const ended = new AbortController();
  const end = result.finally(() => ended.abort());
  // thrown below, when it is asked for
  end.catch(() => undefined);
  let sent = '';
  for (let idleTicks = 0; !ended.signal.aborted; idleTicks += 1) {
    signal.throwIfAborted();
    const current = { ...progress };
    if (JSON.stringify(current) !== sent || idleTicks >= maxIdleTicks) {
      sent = JSON.stringify(current);
      idleTicks = 0;
      yield current;
    }
    await tick(end, tickMs);
  }
  await end;
}

async function tick(end: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    await Promise.race([late, end.catch(() => undefined)]);
  } finally {
    clearTimeout(timer);
  }
}
