import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '@panel/kit/async';
import { assertNever } from '@panel/kit/errors';
import { RewriteError } from './rewrite-error.js';
import type { RewriteJob, Rewritten } from './rewrite.js';
import type { RewriteResponse } from './rewrite-thread.js';

/** Isolated, one file at a time. The caller closes it. */
export interface Rewriter {
  /** Throws RewriteError for bad content, timeout or memory excess; other errors are defects. */
  run(job: RewriteJob, timeoutMs: number): Promise<Rewritten>;
  close(): Promise<void>;
}

/** 1 MiB of YAML takes about 150. */
const defaultHeapMb = 384;
/** Thread start takes longer than most files. */
const defaultIdleMs = 10_000;
/** Loading parsers takes 0.1 s or more, outside the file's timeout. */
const startTimeoutMs = 15_000;

/**
 * In a thread, which can be terminated in a parser of tenant content. No environment (secrets), no state between files.
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
        // the next file gets a new thread
        if (!(error instanceof ReportedRewriteError)) await close();
        throw error;
      } finally {
        idle = setTimeout(() => void close(), idleMs).unref();
      }
    },
    close,
  };
}

class ReportedRewriteError extends RewriteError {}

async function startWorker(maxOldGenerationSizeMb: number): Promise<Worker> {
  const worker = new Worker(new URL('./rewrite-thread.js', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb },
  });
  // `ask` gets errors too; a late one must not crash the process
  worker.on('error', () => undefined);
  try {
    await once(worker, 'message', { signal: AbortSignal.timeout(startTimeoutMs) });
    // an idle thread must not keep the process alive
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

/** FIFO. */
export class RewriterPool {
  readonly #limiter: ConcurrencyLimiter;
  readonly #idle: Rewriter[] = [];

  constructor(size: number) {
    this.#limiter = createConcurrencyLimiter({ concurrency: size });
  }

  async use<T>(work: (rewriter: Rewriter) => Promise<T>): Promise<T> {
    return this.#limiter.run(async () => {
      // its thread still runs
      const rewriter = this.#idle.pop() ?? createRewriter();
      try {
        return await work(rewriter);
      } finally {
        this.#idle.push(rewriter);
      }
    });
  }
}
