import { defineReasons } from '@panel/kit/errors';

/** Why admin refuses. */
export const fail = defineReasons({
  /** Concurrent changes of the same settings won repeatedly; a retry may succeed. */
  SETTINGS_BUSY: 'aborted',
  MAIL_TEMPLATE_NOT_FOUND: 'not_found',
  TEST_CLOCK_OFF: 'failed_precondition',
  TEST_CLOCK_MOVING: 'aborted',
  /** Too many test mails; `retryAfterSeconds` says when the next one is possible. */
});

export function testClockOff(): Error {
  return fail('TEST_CLOCK_OFF', 'this panel runs without a test clock');
}
