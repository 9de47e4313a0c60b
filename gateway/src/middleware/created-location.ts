import type { LocationOf } from '../declaration/location.js';
import type { RequestMiddleware } from './request-state.js';

/** `Location` of what was created, also where the response is replayed. */
export function createdLocation(locationOf: LocationOf): RequestMiddleware {
  return async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (ctx.status !== 201 || ctx.res.hasHeader('Location') || !hasData(body)) return;
    const location = locationOf(body.data, ctx.path);
    if (location !== null) ctx.set('Location', location);
  };
}

function hasData(body: unknown): body is { readonly data: unknown } {
  return typeof body === 'object' && body !== null && 'data' in body;
}
