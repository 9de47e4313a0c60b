import type { Worker } from 'node:worker_threads';
import { raceAbort } from '@panel/kit/async';
import { assertNever } from '@panel/kit/errors';
import { errorOf } from '@panel/kit/threads';
import { failureOf } from '../threads/thread-failure.js';
import type { SearchJob, SearchResponse } from './search-thread.js';
import type { SearchResult, TreeSearch } from './search-tree.js';

/** One search in a thread. */
export class RunningSearch {
  /** Resolves when the thread holds nothing of it any more: whether the thread can run another one. */
  readonly ended: Promise<boolean>;
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4));
  readonly #responses: SearchResponse[] = [];
  #wake: () => void = () => undefined;

  constructor(thread: Worker, search: TreeSearch) {
    let resolveEnded: (isUsable: boolean) => void = () => undefined;
    this.ended = new Promise((resolve) => (resolveEnded = resolve));
    const add = (response: SearchResponse, isUsable: boolean) => {
      this.#responses.push(response);
      this.#wake();
      if (response.kind !== 'match') end(isUsable);
    };
    const addResponse = (response: SearchResponse) => add(response, true);
    // the thread ends after an error
    const addFailure = (error: unknown) => add(failureOf(error), false);
    const addExit = () => addFailure(new Error('the thread ended'));
    const end = (isUsable: boolean) => {
      thread.off('message', addResponse).off('error', addFailure).off('exit', addExit);
      thread.unref();
      resolveEnded(isUsable);
    };
    thread.on('message', addResponse).on('error', addFailure).on('exit', addExit);
    thread.ref();
    const job: SearchJob = { ...search, cancelled: this.#cancelled };
    thread.postMessage(job, []);
  }

  cancel(): void {
    Atomics.store(this.#cancelled, 0, 1);
  }

  /** The summary last. Throws TREE_MOVED, TREE_UNSUPPORTED, errors of the file system, and the reason of `signal`. */
  async *results(signal: AbortSignal): AsyncGenerator<SearchResult, undefined> {
    for (;;) {
      const response = this.#responses.shift();
      if (response === undefined) {
        const next = new Promise<void>((resolve) => (this.#wake = resolve));
        await raceAbort(next, signal);
        signal.throwIfAborted();
        continue;
      }
      switch (response.kind) {
        case 'match':
          yield response;
          break;
        case 'summary':
          yield response;
          return undefined;
        case 'refused':
        case 'failed':
          throw errorOf(response);
        default:
          return assertNever(response);
      }
    }
  }
}
