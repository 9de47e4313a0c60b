import { setHeaders } from '../http/headers.js';
import type { RequestMiddleware } from './request-state.js';
import type { RateLimiter } from '../limits/limiter.js';
import { rateHeadersOf } from '../limits/rules.js';

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
