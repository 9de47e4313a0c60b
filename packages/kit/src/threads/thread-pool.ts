import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export interface ThreadPoolOptions {
  readonly maxHeapMb: number;
  /** A thread that is not taken ends. */
  readonly idleMs: number;
}

/** One processor is for the event loop. */
export const defaultThreads = Math.max(1, Math.min(4, availableParallelism() - 1));

/** Threads of one script. No environment (secrets); descriptors are the caller's. */
export class ThreadPool {
  readonly #idle = new Map<Worker, NodeJS.Timeout>();

  constructor(
    private readonly script: URL,
    private readonly options: ThreadPoolOptions,
  ) {}

  take(): Worker {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      return thread;
    }
    const resourceLimits = { maxOldGenerationSizeMb: this.options.maxHeapMb };
    const thread = new Worker(this.script, { env: {}, trackUnmanagedFds: false, resourceLimits });
    // its job reports it
    thread.on('error', () => undefined);
    thread.once('exit', () => this.#drop(thread));
    return thread;
  }

  /** For the next caller. */
  keep(thread: Worker): void {
    const end = () => {
      this.#drop(thread);
      void thread.terminate();
    };
    this.#idle.set(thread, setTimeout(end, this.options.idleMs).unref());
  }

  #drop(thread: Worker): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }
}
