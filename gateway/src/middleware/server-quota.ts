import type { RequestContext, RequestMiddleware } from './request-state.js';
import { assertWithinLimit, type RateLimiter } from '../limits/limiter.js';
import { isServerClass, tightest } from '../limits/rules.js';
import type { Route } from '../declaration/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './authorise.js';

/**
 * Counts authorised callers only: others could exhaust a user's console. Uploads count in their handler after the
 * grant, which saves a call.
 */
export function serverQuota(limiter: RateLimiter, services: Services, route: Route): RequestMiddleware {
  const { rate } = route;
  if (!isServerClass(rate)) return async (_ctx, next) => next();
  const count = async (ctx: RequestContext, serverId: string) => {
    const state = await limiter.countServer(rate, serverId);
    ctx.state.rate = tightest(ctx.state.rate ?? null, state);
    assertWithinLimit([state]);
  };
  return async (ctx, next) => {
    if (rate === 'upload') ctx.state.countServer = async () => count(ctx, ctx.state.params?.['id'] ?? '');
    else await count(ctx, (await requireServerAccess(services, ctx, route)).id);
    return next();
  };
}
