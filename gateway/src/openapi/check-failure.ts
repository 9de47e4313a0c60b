import type { ErrorResponse } from '@panel/rpc';
import type { Route } from '../declaration/route.js';
import { reasonsOf } from './reasons/index.js';
import { failuresOf } from './responses.js';

/** A defect of the documentation: the answer has a status, or names a reason, that it does not list for this route. */
export function undocumentedFailure(
  route: Route,
  { status, details }: Pick<ErrorResponse, 'status' | 'details'>,
): TypeError | null {
  const name = `${route.method} ${route.path}`;
  if (!failuresOf(route).has(status)) return new TypeError(`${name} answers with the unlisted status ${status}`);
  const { reason } = details;
  // The details of a validation error are messages by field.
  if (reason === undefined || status === 422) return null;
  if (
    reasonsOf(route)
      .get(status)
      ?.some((each) => each === reason)
  )
    return null;
  return new TypeError(`${name} answers ${status} with the unlisted reason ${JSON.stringify(reason)}`);
}
