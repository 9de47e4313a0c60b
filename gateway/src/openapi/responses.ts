import type { Route } from '../declaration/route.js';
import type { ErrorName } from './common-responses.js';
import { reasonsOf } from './reasons/index.js';

/** Sockets have 101 only. */
export function successesOf({ response, status, otherStatuses, waiting }: Route): readonly number[] {
  return response.kind === 'socket' ? [101] : [status, ...(waiting ? [202] : []), ...otherStatuses];
}

/** Derived from the declaration. */
export function failuresOf(route: Route): ReadonlyMap<number, ErrorName> {
  const { access, refusals } = route;
  const reasons = reasonsOf(route);
  const isKnown = access.kind !== 'public';
  const applies: [boolean, number, ErrorName][] = [
    [true, 400, 'BadRequest'],
    [isKnown || refusals.includes(401), 401, 'Unauthorized'],
    [isKnown || reasons.has(403), 403, 'Forbidden'],
    [route.path.includes('{') || refusals.includes(404), 404, 'NotFound'],
    [reasons.has(409), 409, 'Conflict'],
    [refusals.includes(412), 412, 'PreconditionFailed'],
    [refusals.includes(416), 416, 'RangeNotSatisfiable'],
    [true, 422, 'ValidationError'],
    [true, 429, 'RateLimitExceeded'],
    [true, 500, 'InternalError'],
    [true, 503, 'ServiceUnavailable'],
  ];
  return new Map(applies.filter(([isPossible]) => isPossible).map(([, status, name]) => [status, name]));
}
