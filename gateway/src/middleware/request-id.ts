import { randomUUID } from 'node:crypto';
import type { ClientIpFinder } from '@panel/kit/net';
import { parseTraceContext, type Tracing } from '@panel/kit/process';
import type { RequestMiddleware } from './request-state.js';

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
