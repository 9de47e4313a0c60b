import { defineReasons } from '@panel/kit/errors';

/** Why admin refuses. */
export const fail = defineReasons({
  /** Concurrent changes of the same settings won repeatedly; a retry may succeed. */
  SETTINGS_BUSY: 'aborted',
  MAIL_TEMPLATE_NOT_FOUND: 'not_found',
  /** Too many test mails; `retryAfterSeconds` says when the next one is possible. */
});
