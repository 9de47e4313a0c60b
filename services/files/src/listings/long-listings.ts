import { onAbort } from '@panel/kit/async';
import { defaultThreads, errorOf, runJob, ThreadPool, TurnQueue } from '@panel/kit/threads';
import type { DirectoryPage } from '../jail/directory-page.js';
import { fail } from '../reasons.js';
import { failureOf } from '../threads/thread-failure.js';
import type { ListingJob, ListingResponse } from './listing-thread.js';

const maxWaiting = 16;
/** Below the deadline of a list, which may take as long. */
const maxWaitMs = 4_000;
const idleMs = 10_000;
/** Twice the 100,000 names that pages reach take about 60. */
const maxHeapMb = 256;

/** Reads long directories in threads: one of an owner at a time, and owners take turns. */
export class LongListings {
  readonly #threads = new ThreadPool(new URL('./listing-thread.js', import.meta.url), { maxHeapMb, idleMs });
  readonly #turns: TurnQueue;

  constructor() {
    const message = `${maxWaiting} lists of long directories in the owner's servers are waiting already`;
    const refusal = () => fail('OPERATION_LIMIT', message, { limit: maxWaiting });
    const late = () => fail('OPERATION_LIMIT', 'other lists of long directories have not ended in time; try again');
    this.#turns = new TurnQueue({ concurrency: defaultThreads, wait: { maxWaiting, refusal, maxWaitMs, late } });
  }

  /**
   * Ends after the thread, which uses the descriptors. Throws OPERATION_LIMIT, errors of the file system and the reason
   * of `signal`.
   */
  async read(listing: Omit<ListingJob, 'cancelled'>, signal: AbortSignal): Promise<DirectoryPage> {
    const { serverId, ownerId = serverId } = listing.grant;
    const free = await this.#turns.take(ownerId, signal);
    const cancelled = new Int32Array(new SharedArrayBuffer(4));
    const stopListening = onAbort(signal, () => Atomics.store(cancelled, 0, 1));
    try {
      const job: ListingJob = { ...listing, cancelled };
      const thread = this.#threads.take();
      const { response, isThreadUsable } = await runJob<ListingResponse>(thread, job, [], failureOf);
      if (isThreadUsable) this.#threads.keep(thread);
      signal.throwIfAborted();
      if (response.kind !== 'read') throw errorOf(response);
      return response.listing;
    } finally {
      stopListening();
      free();
    }
  }
}
