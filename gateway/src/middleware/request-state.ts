import type { TraceContext, TracedWork } from '@panel/kit/process';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Caller } from '../auth/identity.js';
import type { QuotaState } from '../limits/rules.js';
import type { Route } from '../declaration/route.js';

/** What the middleware of one request share. */
export interface RequestState {
  requestId: string;
  /** Where the request stands in a trace; undefined without a trace. */
  trace?: TraceContext | undefined;
  /** Ended with the answer; undefined without a collector. */
  tracedWork?: TracedWork | undefined;
  /** Address of the client. */
  ip: string;
  /** performance.now() at the beginning. */
  startedAt: number;
  /** The declaration that was matched. */
  route?: Route;
  /** Path parameters; names with underscores. */
  params?: Readonly<Record<string, string>>;
  /** The tightest quota counted so far. */
  rate?: QuotaState;
  /** Null: unauthenticated. */
  caller?: Caller | null;
  /** Id for what the request creates; set where the client may repeat it. */
  idempotencyId?: string;
  /** Counts the request for its server; set where the handler does it. */
  countServer?: () => Promise<void>;
  query?: unknown;
  body?: unknown;
}

export type RequestContext = ParameterizedContext<RequestState>;
export type RequestMiddleware = Middleware<RequestState>;

/** A request is answered within 10 s; this leaves time to say that something was too slow. */
const requestBudgetMs = 9_500;

/** Milliseconds left for calls to services. */
export function timeLeftMs(state: RequestState): number {
  return Math.max(1, Math.round(requestBudgetMs - (performance.now() - state.startedAt)));
}
