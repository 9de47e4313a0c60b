import type { TraceContext, TracedWork } from '@panel/kit/process';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Caller } from '../auth/identity.js';
import { type QuotaState, tightest } from '../limits/rules.js';
import type { Route } from '../declaration/route.js';

export interface RequestState {
  requestId: string;
  /** Undefined without a trace. */
  trace?: TraceContext | undefined;
  /** Ended with the response; undefined without a collector. */
  tracedWork?: TracedWork | undefined;
  /** Of the client. */
  ip: string;
  /** performance.now() at the start. */
  startedAt: number;
  /** Matched declaration. */
  route?: Route;
  /** Names with underscores. */
  params?: Readonly<Record<string, string>>;
  /** Tightest quota so far, or what a refusal names. */
  rate?: QuotaState;
  /** Null: unauthenticated. */
  caller?: Caller | null;
  /** Id of the created object, on repeatable routes. */
  idempotencyId?: string;
  query?: unknown;
  body?: unknown;
}

export type RequestContext = ParameterizedContext<RequestState>;
export type RequestMiddleware = Middleware<RequestState>;

/** Responses show the tightest. */
export function showQuota(state: RequestState, quota: QuotaState): void {
  state.rate = tightest(state.rate ?? null, quota);
}

/** Of the 10 s limit of a response. */
const requestBudgetMs = 9_500;

/** In milliseconds. */
export function timeLeftMs(state: RequestState): number {
  return Math.max(1, Math.round(requestBudgetMs - (performance.now() - state.startedAt)));
}
