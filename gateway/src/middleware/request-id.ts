import { randomUUID } from 'node:crypto';
import type { ClientIpFinder } from '@panel/kit';
import type { RequestMiddleware } from './request-state.js';

const wellFormed = /^[A-Za-z0-9._-]{8,64}$/;

/** Name the request, note when it began and where it came from. A well-formed X-Request-Id of the client is kept. */
export function requestId(clientIp: ClientIpFinder): RequestMiddleware {
  return (ctx, next) => {
    const { 'x-request-id': given = '', 'x-forwarded-for': forwarded } = ctx.req.headers;
    ctx.state.requestId = typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
    ctx.state.startedAt = performance.now();
    ctx.state.ip = clientIp(ctx.req.socket.remoteAddress, String(forwarded ?? '') || undefined);
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    return next();
  };
}
