import { type RequestMiddleware, showQuota } from './request-state.js';
import { assertWithinLimit, type RateLimiter } from '../limits/limiter.js';
import type { Route } from '../declaration/route.js';
import type { Services } from '../services.js';
import { requireServerAccess } from './access.js';

/**
 * Counts backups of authorised callers only: others could use up a server's. Uploads and commands count in the call
 * that decides their access.
 */
export function backupQuota(limiter: RateLimiter, services: Services, route: Route): RequestMiddleware {
  return async (ctx, next) => {
    const { id } = await requireServerAccess(services, ctx, route);
    const quota = await limiter.countServer('backup', id);
    showQuota(ctx.state, quota);
    assertWithinLimit([quota]);
    return next();
  };
}
