import { parentPort } from 'node:worker_threads';
import { RewriteError } from './rewrite-error.js';
import { rewriteContent, type RewriteJob, type Rewritten } from './rewrite.js';

export type RewriteResponse =
  | { readonly kind: 'rewritten'; readonly rewritten: Rewritten }
  | { readonly kind: 'problem'; readonly message: string }
  /** A defect, for the log. */
  | { readonly kind: 'failed'; readonly message: string };

// parsers loaded
parentPort?.postMessage('ready', []);
parentPort?.on('message', (job: RewriteJob) => parentPort?.postMessage(answer(job), []));

function answer(job: RewriteJob): RewriteResponse {
  try {
    return { kind: 'rewritten', rewritten: rewriteContent(job) };
  } catch (error) {
    if (error instanceof RewriteError) return { kind: 'problem', message: error.message };
    // stack or string length exhausted
    if (error instanceof RangeError) return { kind: 'problem', message: 'it is too large or nested too deeply' };
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
