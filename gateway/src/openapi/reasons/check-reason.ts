import type { ErrorResponse } from '@panel/rpc';
import { reasonsOf } from './index.js';

type Declared = Parameters<typeof reasonsOf>[0];

/** A defect of the documentation: the answer names a reason that it does not list for this route and status. */
export function unlistedReason(
  route: Declared,
  { status, details }: Pick<ErrorResponse, 'status' | 'details'>,
): TypeError | null {
  const { reason } = details;
  // The details of a validation error are messages by field.
  if (reason === undefined || status === 422) return null;
  if (
    reasonsOf(route)
      .get(status)
      ?.some((name) => name === reason)
  )
    return null;
  return new TypeError(
    `${route.method} ${route.path} answers ${status} with the unlisted reason ${JSON.stringify(reason)}`,
  );
}
