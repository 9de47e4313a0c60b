import type { Transferable } from 'node:worker_threads';
import { runJob } from './run-job.js';
import { type ThreadFailure, threadFailureOf } from './thread-failure.js';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.js';
import { type TurnLimits, TurnQueue } from './turn-queue.js';

interface JobOptions {
  readonly transfer?: readonly Transferable[];
  readonly signal?: AbortSignal;
}

const never = new AbortController().signal;

/** Jobs of one script: a key has one at a time, and keys take turns. */
export class ThreadTurns<Job, Response> {
  readonly #threads: ThreadPool;
  readonly #turns: TurnQueue;

  constructor(script: URL, limits: ThreadPoolOptions & TurnLimits) {
    this.#threads = new ThreadPool(script, limits);
    this.#turns = new TurnQueue(limits);
  }

  /** A job that runs ends after a caller who leaves. Throws as `TurnQueue.take`. */
  async run(
    key: string,
    job: Job,
    { transfer = [], signal = never }: JobOptions = {},
  ): Promise<Response | ThreadFailure> {
    const free = await this.#turns.take(key, signal);
    try {
      const thread = this.#threads.take();
      const outcome = await runJob<Response | ThreadFailure>(thread, job, transfer, threadFailureOf);
      if (outcome.isThreadUsable) this.#threads.keep(thread);
      signal.throwIfAborted();
      return outcome.response;
    } finally {
      free();
    }
  }
}
