import { defineReasons } from '@panel/kit/errors';

/** Why billing refuses. */
export const fail = defineReasons({
  PRODUCT_SLUG_TAKEN: 'already_exists',
  PRODUCT_NOT_FOUND: 'not_found',
  /** Services of it are not ended. */
  PRODUCT_IN_USE: 'failed_precondition',
  COUPON_CODE_TAKEN: 'already_exists',
  COUPON_NOT_FOUND: 'not_found',
  GIFT_CODE_TAKEN: 'already_exists',
  GIFT_CODE_NOT_FOUND: 'not_found',
  /** By the same customer. */
  GIFT_CODE_REDEEMED: 'failed_precondition',
  /** Created with another SERVICE_SECRET: valid, but not derivable again. */
  GIFT_CODES_UNRECOVERABLE: 'failed_precondition',
  CART_FULL: 'resource_exhausted',
  CART_ITEM_NOT_FOUND: 'not_found',
  /** The cart was bought or changed by another request. */
  CART_CHANGED: 'aborted',
  CHECKOUT_IN_PROGRESS: 'aborted',
  /** It took too long and was undone; nothing was charged. */
  CHECKOUT_INTERRUPTED: 'aborted',
  ORDER_NOT_FOUND: 'not_found',
  ORDER_PAID: 'failed_precondition',
  INVOICE_NOT_FOUND: 'not_found',
  INVOICE_NOT_PAYABLE: 'failed_precondition',
  INVOICE_NOT_PAID: 'failed_precondition',
  /** A gateway has accepted another payment of it. */
  PAYMENT_PENDING: 'failed_precondition',
  /** The settings name no account. */
  BANK_TRANSFER_NOT_SET_UP: 'failed_precondition',
  /** Not issued, void, or without what EN 16931 needs. */
  E_INVOICE_UNAVAILABLE: 'failed_precondition',
  /** Another payment or refund of it is in progress. */
  INVOICE_BUSY: 'aborted',
  SERVICE_NOT_FOUND: 'not_found',
  SERVICE_ENDED: 'failed_precondition',
  SERVICE_NOT_ACTIVE: 'failed_precondition',
  SERVICE_CHANGED: 'aborted',
  CHANGE_PENDING: 'failed_precondition',
  INVOICE_OPEN: 'failed_precondition',
  GATEWAY_NOT_FOUND: 'not_found',
  STORED_METHOD_NOT_FOUND: 'not_found',
  /** Of another currency or amount than can be booked. */
  PAYMENT_MISMATCH: 'failed_precondition',
  /** Too many rows, or too long to compute. */
  REPORT_TOO_LARGE: 'resource_exhausted',
});
