import { defaultThreads, ThreadPool, TurnQueue } from '@panel/kit/threads';
import { fail } from '../reasons.js';
import { RunningSearch } from './running-search.js';
import type { SearchResult, TreeSearch } from './search-tree.js';

/** With the wait. */
const maxDurationMs = 8_000;
/** A search lasts seconds: a few wait rather than fail. */
const maxWaitMs = 4_000;
const maxWaitingPerOwner = 4;
const defaultIdleMs = 10_000;
/** A directory of a million names takes about 100. */
const maxHeapMb = 384;

/**
 * In threads, with blocking system calls: on the event loop, all other requests waited for each file. An owner has one
 * search at a time, and owners take turns.
 */
export class Searches {
  readonly #turns: TurnQueue;
  readonly #threads: ThreadPool;

  constructor({ threads = defaultThreads, idleMs = defaultIdleMs } = {}) {
    this.#threads = new ThreadPool(new URL('./search-thread.js', import.meta.url), { maxHeapMb, idleMs });
    const limit = maxWaitingPerOwner;
    const message = `${limit} searches in the owner's servers are waiting already`;
    const refusal = () => tooMany(message, { limit });
    const late = () => tooMany('other searches have not ended in time; try again', {});
    this.#turns = new TurnQueue({ concurrency: threads, wait: { maxWaiting: limit, refusal, maxWaitMs, late } });
  }

  /** The summary last. Calls `release` when the root is used no more. Throws OPERATION_LIMIT, TREE_MOVED. */
  async *run(
    search: Omit<TreeSearch, 'durationMs'>,
    signal: AbortSignal,
    release: () => Promise<void>,
  ): AsyncGenerator<SearchResult> {
    const startedAt = performance.now();
    const { serverId, ownerId = serverId } = search.grant;
    const free = await this.#turns.take(ownerId, signal).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    const thread = this.#threads.take();
    const running = new RunningSearch(thread, {
      ...search,
      durationMs: maxDurationMs - (performance.now() - startedAt),
    });
    // also after a caller who left
    const ended = running.ended.then(async (isUsable) => {
      if (isUsable) this.#threads.keep(thread);
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
}

function tooMany(message: string, metadata: { readonly limit?: number }) {
  return fail('OPERATION_LIMIT', message, metadata);
}
