import { defineReasons } from '@panel/kit/errors';

/** Why identity refuses. Part of the API between the services: names never change their meaning. */
export const fail = defineReasons({
  /** Wrong password, unknown e-mail or wrong code at sign-in: one reason for all, so that it reveals nothing. */
  INVALID_CREDENTIALS: 'unauthenticated',
  /** A token or key that is forged, expired, used, revoked, or whose owner is gone. */
  INVALID_TOKEN: 'unauthenticated',
  /** A two-factor challenge is over: expired, answered, or out of attempts. Sign in again. */
  CHALLENGE_ENDED: 'unauthenticated',
  /** The token of a mailed link is unknown, expired, used, or not the latest. */
  INVALID_LINK: 'unauthenticated',
  /** The API key is good, but not from this address. */
  IP_NOT_ALLOWED: 'permission_denied',
  /** A user tried to hand out a permission they do not hold. */
  PERMISSION_EXCEEDS_OWN: 'permission_denied',
  /** A role, or its multiplier, that would raise the caller's own rate limit. */
  OWN_RATE_LIMIT: 'permission_denied',
  API_KEY_LIMIT: 'resource_exhausted',
  API_KEY_NOT_FOUND: 'not_found',
  /** A repetition found the key that was created, whose value only another SERVICE_SECRET can decrypt. */
  API_KEY_UNRECOVERABLE: 'failed_precondition',
  SSH_KEY_EXISTS: 'already_exists',
  SSH_KEY_LIMIT: 'resource_exhausted',
  SSH_KEY_NOT_FOUND: 'not_found',
  SESSION_NOT_FOUND: 'not_found',
  USER_NOT_FOUND: 'not_found',
  ROLE_NOT_FOUND: 'not_found',
  EMAIL_TAKEN: 'already_exists',
  EXTERNAL_ID_TAKEN: 'already_exists',
  ROLE_NAME_TAKEN: 'already_exists',
  USERNAME_TAKEN: 'already_exists',
  /** Two launchers made the first admin at once; the other one won. */
  FIRST_ADMIN_EXISTS: 'already_exists',
  TWO_FACTOR_ENABLED: 'failed_precondition',
  TWO_FACTOR_DISABLED: 'failed_precondition',
  /** There is no secret that waits for its first code, or it waited too long. */
  TWO_FACTOR_NOT_STARTED: 'failed_precondition',
  ROLE_IS_SYSTEM: 'failed_precondition',
  ROLE_IN_USE: 'failed_precondition',
  /** The installation would be left without anybody who has the role `admin`. */
  LAST_ADMIN: 'failed_precondition',
  USER_OWNS_SERVERS: 'failed_precondition',
  /** Credits, open invoices or active services; `metadata` has them. */
  USER_HAS_OBLIGATIONS: 'failed_precondition',
  /** Too many tries at something that needs no more than a few; `retryAfterSeconds` says when there are new ones. */
  /** Another request changed the same user or role at the same moment. */
  CONCURRENT_CHANGE: 'aborted',
  /** It is unknown whether the user owns servers, so that it cannot be deleted. */
  SERVERS_UNREACHABLE: 'unavailable',
  /** It is unknown what the user has or owes, so that it cannot be deleted. */
  BILLING_UNREACHABLE: 'unavailable',
  /** Too many passwords wait to be hashed; trying again in a second helps. */
  HASHING_BUSY: 'unavailable',
  /** A sealed secret does not open with today's SERVICE_SECRET. */
  SECRET_UNREADABLE: 'internal',
  /** A document refers to another that is not there. */
  BROKEN_REFERENCE: 'internal',
});
