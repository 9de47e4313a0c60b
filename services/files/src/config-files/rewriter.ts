import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '@panel/kit/async';
import { assertNever } from '@panel/kit/errors';
import { RewriteError } from './rewrite-error.js';
import type { RewriteJob, Rewritten } from './rewrite.js';
import type { RewriteResponse } from './worker.js';

/** Rewrites the contents of files, one at a time, where they can do no harm. The caller closes it. */
export interface Rewriter {
  /**
   * Throws RewriteError when the file cannot be handled, takes longer than `timeoutMs` or too much memory; and what else went
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
        return readResponse(await ask(worker, job, timeoutMs));
      } catch (error) {
        // after a time-out or a crash the thread is of no use; the next file gets a new one
        if (!(error instanceof ReportedRewriteError)) await close();
        throw error;
      } finally {
        idle = setTimeout(() => void close(), idleMs).unref();
      }
    },
    close,
  };
}

/** Reported by a healthy thread. */
class ReportedRewriteError extends RewriteError {}

async function startWorker(maxOldGenerationSizeMb: number): Promise<Worker> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb },
  });
  // `ask` receives errors too; a late one must not end the process
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

async function ask(worker: Worker, job: RewriteJob, timeoutMs: number): Promise<RewriteResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  worker.ref();
  try {
    const answer = once(worker, 'message', { signal: timeout });
    worker.postMessage(job, []);
    const [message]: unknown[] = await answer;
    return message as RewriteResponse;
  } catch (error) {
    if (timeout.aborted) throw new RewriteError('it takes too long to read', { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      throw new RewriteError('it takes too much memory to read', { cause: error });
    }
    throw error;
  } finally {
    worker.unref();
  }
}

function readResponse(answer: RewriteResponse): Rewritten {
  switch (answer.kind) {
    case 'rewritten':
      return answer.rewritten;
    case 'problem':
      throw new ReportedRewriteError(answer.message);
    case 'failed':
      throw new Error(`the thread for config files failed: ${answer.message}`);
    default:
      return assertNever(answer);
  }
}

/** At most `size` rewriters at a time; callers wait in the order they came. */
export class RewriterPool {
  readonly #limiter: ConcurrencyLimiter;
  readonly #idle: Rewriter[] = [];

  constructor(size: number) {
    this.#limiter = createConcurrencyLimiter({ concurrency: size });
  }

  async use<T>(work: (rewriter: Rewriter) => Promise<T>): Promise<T> {
    return this.#limiter.run(async () => {
      // the one used last, which still has its thread
      const rewriter = this.#idle.pop() ?? createRewriter();
      try {
        return await work(rewriter);
      } finally {
        this.#idle.push(rewriter);
      }
    });
  }
}
