import { randomUUID } from 'node:crypto';
import type { ClientIpFinder } from '../http/client-ip.js';
import type { RequestMiddleware } from '../http/state.js';

const wellFormed = /^[A-Za-z0-9._-]{8,64}$/;

/** Name the request, note when it began and where it came from. A well-formed X-Request-Id of the client is kept. */
export function requestId(clientIp: ClientIpFinder): RequestMiddleware {
  return async (ctx, next) => {
    const given = ctx.get('x-request-id');
    ctx.state.requestId = wellFormed.test(given) ? given : randomUUID();
    ctx.state.startedAt = performance.now();
    ctx.state.ip = clientIp(ctx.req.socket.remoteAddress, ctx.get('x-forwarded-for') || undefined);
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };
}
