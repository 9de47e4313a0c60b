import { defineReasons } from '@panel/kit/errors';

/** Why a payment gateway refuses. */
export const fail = defineReasons({
  CURRENCY_NOT_SUPPORTED: 'failed_precondition',
  AMOUNT_NOT_REPRESENTABLE: 'failed_precondition',
  STORED_METHODS_NOT_SUPPORTED: 'failed_precondition',
  GATEWAY_REJECTED: 'failed_precondition',
  GATEWAY_UNAVAILABLE: 'unavailable',
  WEBHOOK_SIGNATURE_INVALID: 'unauthenticated',
  WEBHOOK_MALFORMED: 'invalid_argument',
  WEBHOOK_TOO_LARGE: 'invalid_argument',
  WEBHOOK_NOT_SUPPORTED: 'not_found',
});
