import { parentPort } from 'node:worker_threads';
import { type ThreadFailure, threadFailureOf } from '@panel/kit/threads';
import type { StatementPayment } from '../domain/bank-statement.js';
import { parseCamtStatement } from './parse-camt.js';
import { parseCsvStatement, type StatementColumns } from './parse-csv.js';

export interface StatementJob {
  readonly format: 'camt' | 'csv';
  readonly content: string;
  /** Null: by known names. */
  readonly columns: StatementColumns | null;
  readonly shopCurrency: string;
}

export type StatementResponse =
  { readonly kind: 'read'; readonly payments: readonly StatementPayment[] } | ThreadFailure;

parentPort?.on('message', (job: StatementJob) => parentPort?.postMessage(answer(job), []));

function answer({ format, content, columns, shopCurrency }: StatementJob): StatementResponse {
  try {
    const isCamt = format === 'camt';
    return {
      kind: 'read',
      payments: isCamt ? parseCamtStatement(content) : parseCsvStatement(content, columns, shopCurrency),
    };
  } catch (error) {
    return threadFailureOf(error);
  }
}
