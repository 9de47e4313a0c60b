import { parseTraceContext, type TraceContext, type TracedWork, type Tracing } from '@panel/kit/process';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Caller } from '../auth/identity.js';
import { type QuotaState, tightest } from '../limits/rules.js';
import type { Route } from '../declaration/route.js';
import { randomUUID } from 'node:crypto';
import type { ClientIpFinder } from '@panel/kit/net';

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

const wellFormed = /^[A-Za-z0-9._-]{8,64}$/;

/** Keeps a well-formed X-Request-Id or traceparent of the client. */
export function requestId(clientIp: ClientIpFinder, tracing?: Tracing): RequestMiddleware {
  return (ctx, next) => {
    const { 'x-request-id': given = '', 'x-forwarded-for': forwarded, traceparent, tracestate } = ctx.req.headers;
    ctx.state.requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
    const parent = traceparent === undefined ? undefined : parseTraceContext(traceparent, tracestate);
    ctx.state.tracedWork = tracing?.begin(ctx.req.method ?? '', parent);
    ctx.state.trace = ctx.state.tracedWork?.context ?? parent;
    ctx.state.startedAt = performance.now();
    ctx.state.ip = clientIp(ctx.req.socket.remoteAddress, String(forwarded ?? '') || undefined);
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    return next();
  };
}
