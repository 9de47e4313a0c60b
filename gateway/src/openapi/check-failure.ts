import type { ErrorResponse } from '@panel/rpc';
import type { Route } from '../declaration/route.js';
import { reasonsOf } from './reasons/index.js';
import { failuresOf } from './responses.js';

export function undocumentedFailure(
  route: Route,
  { status, details }: Pick<ErrorResponse, 'status' | 'details'>,
): TypeError | null {
  const name = `${route.method} ${route.path}`;
  if (!failuresOf(route).has(status)) return new TypeError(`${name} answers with the unlisted status ${status}`);
  const { reason } = details;
  // Validation details are messages by field.
  if (reason === undefined || status === 422) return null;
  if (
    reasonsOf(route)
      .get(status)
      ?.some((each) => each === reason)
  )
    return null;
  return new TypeError(`${name} answers ${status} with the unlisted reason ${JSON.stringify(reason)}`);
}
