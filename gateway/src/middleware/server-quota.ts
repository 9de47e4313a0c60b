import type { RequestMiddleware } from './request-state.js';
import { assertWithinLimit, type RateLimiter } from '../limits/limiter.js';
import { isServerClass, tightest } from '../limits/rules.js';
import type { Route } from '../declaration/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './authorise.js';

/**
 * Count the request for its server, where the route's class says so. Only callers who may use the server are counted:
 * otherwise any user could use up another user's console.
 */
export function serverQuota(limiter: RateLimiter, services: Services, route: Route): RequestMiddleware {
  const { rate } = route;
  if (!isServerClass(rate)) return async (_ctx, next) => next();
  return async (ctx, next) => {
    const { id } = await requireServerAccess(services, ctx, route);
    const state = await limiter.countServer(rate, id);
    ctx.state.rate = tightest(ctx.state.rate ?? null, state);
    assertWithinLimit([state]);
    return next();
  };
}
