import type { Transferable, Worker } from 'node:worker_threads';

interface JobOutcome<Response> {
  readonly response: Response;
  /** Not after its end. */
  readonly isThreadUsable: boolean;
}

/** One message there and one back. `failed` answers for a thread that ends. */
export async function runJob<Response>(
  thread: Worker,
  job: unknown,
  transfer: readonly Transferable[],
  failed: (error: unknown) => Response,
): Promise<JobOutcome<Response>> {
  return new Promise((resolve) => {
    const end = (outcome: JobOutcome<Response>) => {
      thread.off('message', answer).off('error', endWith).off('exit', exit);
      // an idle thread must not keep the process alive
      thread.unref();
      resolve(outcome);
    };
    const answer = (response: Response) => end({ response, isThreadUsable: true });
    const endWith = (error: unknown) => end({ response: failed(error), isThreadUsable: false });
    const exit = () => endWith(new Error('the thread ended'));
    thread.on('message', answer).on('error', endWith).on('exit', exit);
    thread.ref();
    thread.postMessage(job, transfer);
  });
}
