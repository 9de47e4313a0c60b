import { securityHeaders } from '../http/security-headers.js';
import { setHeaders } from '../http/headers.js';
import type { RequestMiddleware } from './request-state.js';
import type { RateLimiter } from '../limits/limiter.js';
import { rateHeadersOf } from '../limits/rules.js';

/** The time of an installation whose staff may move it. */
const testClockHeader = 'X-Test-Clock';

const exposedHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  testClockHeader,
  // of resumable uploads
  'Location',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Expires',
].join(', ');
const allowedHeaders = [
  'Authorization, Content-Type, Accept, Range, If-Match, If-None-Match, If-Range, Idempotency-Key, X-Request-Id',
  'Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, X-Requested-With',
].join(', ');

/** Credentials are bearer tokens, never cookies: no Access-Control-Allow-Credentials. Vary: Origin for caches. */
export function cors(origins: readonly string[]): RequestMiddleware {
  const allowed = new Set(origins);
  return (ctx, next) => {
    ctx.res.setHeader('Vary', 'Origin');
    const { origin = '' } = ctx.req.headers;
    const isAllowed = allowed.has(origin);
    if (isAllowed) ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders });
    const isPreflight = ctx.method === 'OPTIONS' && origin !== '' && ctx.get('access-control-request-method') !== '';
    if (!isPreflight) return next();
    ctx.status = 204;
    if (isAllowed) {
      ctx.set({
        'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': '600',
      });
    }
    return undefined;
  };
}

export function setSecurityHeaders(): RequestMiddleware {
  const headers = Object.entries(securityHeaders);
  return (ctx, next) => {
    setHeaders(ctx.res, headers);
    return next();
  };
}

export function showTestClock(clock: () => Date): RequestMiddleware {
  return (ctx, next) => {
    setHeaders(ctx.res, [[testClockHeader, clock().toISOString()]]);
    return next();
  };
}

/** Uncounted requests (pre-flights) show their address's state. */
export function rateHeaders(limiter: RateLimiter): RequestMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.respond === false) return;
    const rate = ctx.state.rate ?? (await limiter.peek(ctx.state.ip));
    const hasRetryAfter = ctx.res.hasHeader('Retry-After');
    setHeaders(ctx.res, hasRetryAfter ? rateHeadersOf(rate) : [...rateHeadersOf(rate), ['Retry-After', '0']]);
  };
}
