import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { assertNever } from '@panel/kit';
import { createLimiter } from '../jail/limiter.js';
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
/** Starting a thread takes longer than most files: it stays for the next server, as long as there is one. */
const defaultIdleMs = 10_000;
/** Loading the parsers takes a tenth of a second, more on a busy machine; that is no fault of the file. */
const startTimeoutMs = 15_000;

/**
 * Work in a thread of its own, started for the first file: parsers run on what tenants wrote, and only a thread can be
 * ended in the middle of a parser. It has no environment, so no secret either, and keeps nothing of one file for the next.
 */
export function createRewriter({ maxHeapMb = defaultHeapMb, idleMs = defaultIdleMs } = {}): Rewriter {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  const close = async () => {
    clearTimeout(idle);
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };
  const start = async () => {
    const started = await startWorker(maxHeapMb);
    started.once('exit', () => {
      if (worker === started) worker = null;
    });
    return started;
  };
  return {
    run: async (job, timeoutMs) => {
      clearTimeout(idle);
      try {
        worker ??= await start();
        return readAnswer(await ask(worker, job, timeoutMs));
      } catch (error) {
        // after a time-out or a crash the thread is of no use; the next file gets a new one
        if (!(error instanceof AnsweredProblem)) await close();
        throw error;
      } finally {
        idle = setTimeout(() => void close(), idleMs).unref();
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
    // a thread that waits for work keeps no process alive
    worker.unref();
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

async function ask(worker: Worker, job: RewriteJob, timeoutMs: number): Promise<RewriteAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  worker.ref();
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
  } finally {
    worker.unref();
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

/** Lends at most `size` rewriters at a time, to others in the order they came. */
export function createRewriters(size: number): <T>(work: (rewriter: Rewriter) => Promise<T>) => Promise<T> {
  const limit = createLimiter(size);
  const free: Rewriter[] = [];
  return async (work) =>
    limit(async () => {
      // the one used last, which has its thread already
      const rewriter = free.pop() ?? createRewriter();
      try {
        return await work(rewriter);
      } finally {
        free.push(rewriter);
      }
    });
}
