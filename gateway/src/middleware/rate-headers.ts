import type { RequestMiddleware } from '../http/state.js';
import type { RateLimiter } from '../limits/limiter.js';
import { type QuotaState, remaining } from '../limits/rules.js';

/** The rate headers of every answer. A request that was never counted (a pre-flight) shows where its address stands. */
export function rateHeaders(limiter: RateLimiter): RequestMiddleware {
  return async (ctx, next) => {
    await next();
    if (ctx.respond === false) return;
    ctx.set(rateHeadersOf(ctx.state.rate ?? (await limiter.look(ctx.state.ip))));
    if (!ctx.response.get('Retry-After')) ctx.set('Retry-After', '0');
  };
}

export function rateHeadersOf(state: QuotaState): Record<string, string> {
  return {
    'X-RateLimit-Limit': `${state.limit}`,
    'X-RateLimit-Remaining': `${remaining(state)}`,
    'X-RateLimit-Reset': `${Math.ceil(state.resetsAt / 1000)}`,
  };
}
