import { defineReasons } from '@panel/kit';

/** Why identity refuses. Part of the API between the services: names never change their meaning. */
export const fail = defineReasons({
  /** Wrong password, unknown e-mail, wrong code: one reason for all, so that nobody learns which. */
  INVALID_CREDENTIALS: 'unauthenticated',
  /** A token or key that is forged, expired, used, revoked, or whose owner is gone. */
  INVALID_TOKEN: 'unauthenticated',
  /** The API key is good, but not from this address. */
  IP_NOT_ALLOWED: 'permission_denied',
  /** Somebody tried to hand out a permission they do not hold. */
  PERMISSION_BEYOND_OWN: 'permission_denied',
  API_KEY_LIMIT: 'resource_exhausted',
  API_KEY_NOT_FOUND: 'not_found',
  SESSION_NOT_FOUND: 'not_found',
  USER_NOT_FOUND: 'not_found',
  EMAIL_TAKEN: 'already_exists',
  USERNAME_TAKEN: 'already_exists',
  /** Two launchers made the first admin at once; the other one won. */
  FIRST_ADMIN_EXISTS: 'already_exists',
  /** Too many passwords wait to be hashed; trying again in a second helps. */
  HASHING_BUSY: 'unavailable',
  /** A document refers to another that is not there. */
  BROKEN_REFERENCE: 'internal',
});
