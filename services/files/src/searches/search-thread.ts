import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type AppError, isAppError } from '@panel/kit/errors';
import { fromErrno } from '../jail/errno.js';
import { type SearchResult, searchTree, type TreeSearch } from './search-tree.js';

export interface SearchJob extends TreeSearch {
  /** Its first element is not 0 once no caller waits for the result. */
  readonly cancelled: Int32Array;
}

export type SearchResponse =
  | SearchResult
  | ({ readonly kind: 'refused' } & { readonly error: Pick<AppError, 'kind' | 'reason' | 'message'> })
  /** A defect, for the log. */
  | { readonly kind: 'failed'; readonly message: string };

/** Of this thread alone, on Linux: requests come first. */
setPriority(10);

parentPort?.on('message', (job: SearchJob) => {
  for (const response of responsesOf(job)) parentPort?.postMessage(response, []);
});

function* responsesOf(job: SearchJob): Generator<SearchResponse> {
  try {
    yield* searchTree(job, () => Atomics.load(job.cancelled, 0) !== 0);
  } catch (error) {
    const known = fromErrno(error);
    if (isAppError(known)) {
      const { kind, reason, message } = known;
      yield { kind: 'refused', error: { kind, reason, message } };
    } else yield { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
