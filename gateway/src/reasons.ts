import { type AppError, defineReasons } from '@panel/kit/errors';

/** What the gateway itself finds wrong; everything else comes from the services. */
export const fail = defineReasons({
  /** No, bad, expired or revoked credentials. */
  UNAUTHENTICATED: 'unauthenticated',
  PERMISSION_MISSING: 'permission_denied',
  ORIGIN_NOT_ALLOWED: 'permission_denied',
  /** Requests to /browser that a page of the panel would send otherwise. */
  CONSOLE_HEADER_MISSING: 'permission_denied',
  CONTENT_TYPE_NOT_JSON: 'permission_denied',
  FETCH_SITE_NOT_ALLOWED: 'permission_denied',
  /** Browsers sign in over TLS, or on loopback. */
  TLS_REQUIRED: 'permission_denied',
  TWO_FACTOR_REQUIRED: 'permission_denied',
  /** Unknown path or method, malformed id. */
  NOT_FOUND: 'not_found',
  SERVER_SUSPENDED: 'failed_precondition',
  /** The request is not one: not JSON, wrong content type, too large. */
  BAD_REQUEST: 'invalid_argument',
  RANGE_NOT_SATISFIABLE: 'invalid_argument',
  TOO_MANY_SOCKETS: 'resource_exhausted',
  UPLOAD_TOO_LARGE: 'resource_exhausted',
  IDEMPOTENCY_KEY_REUSED: 'failed_precondition',
  IDEMPOTENCY_IN_FLIGHT: 'aborted',
  IDEMPOTENCY_STORE_UNAVAILABLE: 'unavailable',
  BODY_BUDGET_EXHAUSTED: 'unavailable',
  CLIENT_GONE: 'cancelled',
  FILE_CHANGED: 'aborted',
  LISTEN_FAILED: 'unavailable',
});

/** The one answer to every caller we do not know. */
export function unauthenticated(cause?: unknown): AppError {
  return fail('UNAUTHENTICATED', 'who is calling is not known', {}, { cause });
}

export function notFound(): AppError {
  return fail('NOT_FOUND', 'nothing is here');
}

/** The body or the request itself cannot be read; `message` says why, in words of ours only. */
export function badRequest(message: string): AppError {
  return fail('BAD_REQUEST', message);
}
