import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { fail } from '../reasons.js';
import type { FileGrant } from '@panel/rpc';
import { RunningSearch } from './running-search.js';
import type { SearchResult, TreeSearch } from './search-tree.js';
import { TurnQueue } from './turn-queue.js';

/** With the wait. */
const maxDurationMs = 8_000;
/** A search lasts seconds: a few wait rather than fail. */
const maxWaitMs = 4_000;
const maxWaitingPerOwner = 4;
const defaultThreads = Math.max(1, Math.min(4, availableParallelism() - 1));
const defaultIdleMs = 10_000;
/** A directory of a million names takes about 100. */
const maxHeapMb = 384;

/**
 * In threads, with blocking system calls: on the event loop, all other requests waited for each file. An owner has one
 * search at a time, and owners take turns.
 */
export class Searches {
  readonly #turns: TurnQueue;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #idleMs: number;

  constructor({ threads = defaultThreads, idleMs = defaultIdleMs } = {}) {
    this.#idleMs = idleMs;
    const limit = maxWaitingPerOwner;
    const message = `${limit} searches in the owner's servers are waiting already`;
    const refusal = () => tooMany(message, { limit });
    this.#turns = new TurnQueue({ concurrency: threads, maxWaiting: limit, refusal });
  }

  /** The summary last. Calls `release` when the root is used no more. Throws OPERATION_LIMIT, TREE_MOVED. */
  async *run(
    search: Omit<TreeSearch, 'durationMs'>,
    signal: AbortSignal,
    release: () => Promise<void>,
  ): AsyncGenerator<SearchResult> {
    const startedAt = performance.now();
    const free = await this.#wait(search.grant, signal).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    const thread = this.#take();
    const running = new RunningSearch(thread, {
      ...search,
      durationMs: maxDurationMs - (performance.now() - startedAt),
    });
    // also after a caller who left
    const ended = running.ended.then(async (isUsable) => {
      if (isUsable) this.#keep(thread);
      free();
      await release();
    });
    // awaited below, unless the caller leaves
    ended.catch(() => undefined);
    try {
      yield* running.results(signal);
      await ended;
    } finally {
      running.cancel();
    }
  }

  async #wait({ serverId, ownerId = serverId }: FileGrant, signal: AbortSignal): Promise<() => void> {
    const timeout = AbortSignal.timeout(maxWaitMs);
    try {
      return await this.#turns.take(ownerId, AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      throw timeout.aborted ? tooMany('other searches have not ended in time; try again', {}) : error;
    }
  }

  #take(): Worker {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      return thread;
    }
    const options = { env: {}, trackUnmanagedFds: false, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } };
    const thread = new Worker(new URL('./search-thread.js', import.meta.url), options);
    // reported by its search
    thread.on('error', () => undefined);
    thread.once('exit', () => this.#drop(thread));
    return thread;
  }

  #keep(thread: Worker): void {
    const end = () => {
      this.#drop(thread);
      void thread.terminate();
    };
    this.#idle.set(thread, setTimeout(end, this.#idleMs).unref());
  }

  #drop(thread: Worker): void {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
  }
}

function tooMany(message: string, metadata: { readonly limit?: number }) {
  return fail('OPERATION_LIMIT', message, metadata);
}
