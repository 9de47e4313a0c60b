import { isRepeatable, type Route } from '../../declaration/route.js';
import { conflict, forbidden, type ReasonEntries, retryLater, unavailable } from './reason.js';

/** Reasons that middleware has for many endpoints. */
export const sharedReasons = {
  two_factor_required: forbidden(
    'the panel requires two-factor authentication of this user, who has not set it up',
    'lead the user to `POST /account/2fa`',
  ),
  ip_not_allowed: forbidden('the API key may not be used from this address', 'change the `allowed_ips` of the key'),
  console_header_missing: forbidden('the header `X-Panel-Console: 1` is missing', 'use `/auth`, which is for programs'),
  content_type_not_json: forbidden(
    'the `Content-Type` is not `application/json`',
    'use `/auth`, which is for programs',
  ),
  fetch_site_not_allowed: forbidden('the request is not of a page of the panel', 'use `/auth`, which is for programs'),
  tls_required: forbidden('pages sign in over https only', 'set `general.url` to the https address of the panel'),
  origin_not_allowed: forbidden(
    'pages of this origin may not do this',
    'send it from a page of the panel; for sockets, add the origin to `CORS_ORIGINS`',
  ),
  idempotency_key_reused: conflict(
    'this `Idempotency-Key` belongs to another request',
    'take a new key for a new request',
  ),
  idempotency_in_flight: conflict('the first request with this key is in progress', retryLater),
  database_unavailable: unavailable(
    'a database of the panel does not answer',
    'repeat the request after `Retry-After`',
  ),
  database_full: unavailable('the disk of a database of the panel is full', 'tell the operator'),
} satisfies ReasonEntries;

export type SharedReason = keyof typeof sharedReasons;

type Declared = Pick<Route, 'access' | 'allowedBefore2fa' | 'isOwnOriginOnly' | 'status' | 'body' | 'response'>;

/** What the middleware before a route may refuse it for. */
export function sharedReasonsOf(route: Declared): SharedReason[] {
  const applies: [boolean, SharedReason[]][] = [
    [route.access.kind !== 'public' && !route.allowedBefore2fa, ['two_factor_required']],
    [route.access.kind !== 'public', ['ip_not_allowed']],
    [
      route.isOwnOriginOnly,
      [
        'console_header_missing',
        'content_type_not_json',
        'fetch_site_not_allowed',
        'tls_required',
        'origin_not_allowed',
      ],
    ],
    [route.response.kind === 'socket', ['origin_not_allowed']],
    [isRepeatable(route), ['idempotency_key_reused', 'idempotency_in_flight']],
    [true, ['database_unavailable', 'database_full']],
  ];
  return applies.flatMap(([does, names]) => (does ? names : []));
}
