import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { assertNever } from '@panel/kit';
import { Problem } from './problem.js';
import type { RewriteJob, Rewritten } from './rewrite.js';
import type { RewriteAnswer } from './worker.js';

/** Rewrites the contents of files, one at a time, where they can do no harm. The caller closes it. */
export interface Rewriter {
  /**
   * Throws Problem when the file cannot be handled, takes longer than `timeoutMs` or too much memory; and what else went
   * wrong, which is a defect.
   */
  run(job: RewriteJob, timeoutMs: number): Promise<Rewritten>;
  close(): Promise<void>;
}

/** Memory of the thread; a mebibyte of YAML takes some 150. */
const defaultHeapMb = 384;
/** Loading the parsers takes a tenth of a second, more on a busy machine; that is no fault of the file. */
const startTimeoutMs = 15_000;

/**
 * Work in a thread of its own, started for the first file: parsers run on what tenants wrote, and only a thread can be
 * ended in the middle of a parser. It has no environment, so no secret either.
 */
export function createRewriter({ maxHeapMb = defaultHeapMb } = {}): Rewriter {
  let worker: Worker | null = null;
  const close = async () => {
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };
  return {
    run: async (job, timeoutMs) => {
      try {
        worker ??= await startWorker(maxHeapMb);
        return readAnswer(await ask(worker, job, timeoutMs));
      } catch (error) {
        // after a time-out or a crash the thread is of no use; the next file gets a new one
        if (!(error instanceof AnsweredProblem)) await close();
        throw error;
      }
    },
    close,
  };
}

/** Told by a thread that is well. */
class AnsweredProblem extends Problem {}

async function startWorker(maxOldGenerationSizeMb: number): Promise<Worker> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb },
  });
  // `ask` hears of failures too; one that comes when nobody asks any more must not end the process
  worker.on('error', () => undefined);
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(startTimeoutMs) });
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

async function ask(worker: Worker, job: RewriteJob, timeoutMs: number): Promise<RewriteAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = once(worker, 'message', { signal: timeout });
    worker.postMessage(job, []);
    const [message]: unknown[] = await answer;
    return message as RewriteAnswer;
  } catch (error) {
    if (timeout.aborted) throw new Problem('it takes too long to read', { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw new Problem('it takes too much memory to read', { cause: error });
    }
    throw error;
  }
}

function readAnswer(answer: RewriteAnswer): Rewritten {
  switch (answer.kind) {
    case 'rewritten':
      return answer.rewritten;
    case 'problem':
      throw new AnsweredProblem(answer.message);
    case 'failed':
      throw new Error(`the thread for config files failed: ${answer.message}`);
    default:
      return assertNever(answer);
  }
}
