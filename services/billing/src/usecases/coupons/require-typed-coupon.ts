import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import type { Coupon } from '../../domain/coupon.js';
import { type CouponOrder, couponProblem } from '../../domain/coupon-rules.js';
import { countCodeAttempt } from './count-code-attempt.js';

/** A code as a customer typed it. */
interface TypedCode {
  readonly userId: string;
  readonly code: string;
  /** Of the request, named by refusals. */
  readonly field: string;
}

/**
 * Counts each try before it compares, so that parallel guesses count too, and gives valid ones back. Every refusal
 * reads the same: another text would reveal that a code exists. Throws INVALID_FIELDS naming `field`,
 * RATE_LIMIT_EXCEEDED.
 */
export async function requireTypedCoupon(
  { couponAttempts, coupons, clock }: Pick<BillingContext, 'couponAttempts' | 'coupons' | 'clock'>,
  { userId, code, field }: TypedCode,
  order: CouponOrder,
): Promise<Coupon> {
  const [, coupon] = await Promise.all([countCodeAttempt({ couponAttempts, clock }, userId), coupons.findByCode(code)]);
  if (!coupon || couponProblem(coupon, order) !== null) {
    throw invalidFields({ [field]: [fieldProblem('wrong', 'is not a valid code for this order')] });
  }
  await couponAttempts.refund(userId);
  return coupon;
}
