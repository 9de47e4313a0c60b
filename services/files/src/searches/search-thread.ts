import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { ThreadFailure } from '@panel/kit/threads';
import { failureOf } from '../threads/thread-failure.js';
import { type SearchResult, searchTree, type TreeSearch } from './search-tree.js';

export interface SearchJob extends TreeSearch {
  /** Its first element is not 0 once no caller waits for the result. */
  readonly cancelled: Int32Array;
}

export type SearchResponse = SearchResult | ThreadFailure;

/** Of this thread alone, on Linux: requests come first. */
setPriority(10);

parentPort?.on('message', (job: SearchJob) => {
  for (const response of responsesOf(job)) parentPort?.postMessage(response, []);
});

function* responsesOf(job: SearchJob): Generator<SearchResponse> {
  try {
    yield* searchTree(job, () => Atomics.load(job.cancelled, 0) !== 0);
  } catch (error) {
    yield failureOf(error);
  }
}
