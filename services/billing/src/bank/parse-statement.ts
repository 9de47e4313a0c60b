import { errorOf, ThreadTurns } from '@panel/kit/threads';
import type { StatementPayment } from '../domain/bank-statement.js';
import type { StatementJob, StatementResponse } from './statement-thread.js';

/** The largest file takes 0.3 s of a processor. */
const limits = { maxHeapMb: 256, idleMs: 60_000, concurrency: 1 };
const threads = new ThreadTurns<StatementJob, StatementResponse>(
  new URL('./statement-thread.js', import.meta.url),
  limits,
);

/** Incoming payments, in their order. One file at a time. Throws INVALID_FIELDS with `content`, `columns`. */
export async function parseStatement(job: StatementJob): Promise<readonly StatementPayment[]> {
  const response = await threads.run('statement', job);
  if (response.kind !== 'read') throw errorOf(response);
  return response.payments;
}
