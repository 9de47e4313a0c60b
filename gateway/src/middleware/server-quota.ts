import type { RequestContext, RequestMiddleware } from './request-state.js';
import { assertWithinLimit, type RateLimiter } from '../limits/limiter.js';
import { isServerClass, tightest } from '../limits/rules.js';
import type { Route } from '../declaration/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './authorise.js';

/**
 * Count the request for its server, where the route's class says so. Only callers who may use the server are counted:
 * otherwise any user could use up another user's console. An upload is counted by its handler, after the grant that decides
 * access: no call is made for that alone.
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
