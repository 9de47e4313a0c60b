import { type HeaderList, setHeaders } from '../http/headers.js';
import type { RequestMiddleware } from '../http/state.js';
import type { RateLimiter } from '../limits/limiter.js';
import { type QuotaState, remaining } from '../limits/rules.js';

/** The rate headers of every answer. A request that was never counted (a pre-flight) shows where its address stands. */
export function rateHeaders(limiter: RateLimiter): RequestMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.respond === false) return;
    const rate = ctx.state.rate ?? (await limiter.look(ctx.state.ip));
    const hasRetryAfter = ctx.res.hasHeader('Retry-After');
    setHeaders(ctx.res, hasRetryAfter ? rateHeadersOf(rate) : [...rateHeadersOf(rate), ['Retry-After', '0']]);
  };
}

export function rateHeadersOf(state: QuotaState): HeaderList {
  return [
    ['X-RateLimit-Limit', `${state.limit}`],
    ['X-RateLimit-Remaining', `${remaining(state)}`],
    ['X-RateLimit-Reset', `${Math.ceil(state.resetsAt / 1000)}`],
  ];
}
