import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Throws COUPON_NOT_FOUND. */
export async function deleteCoupon({ coupons }: BillingContext, couponId: string): Promise<void> {
  if (!(await coupons.delete(couponId))) throw fail('COUPON_NOT_FOUND', 'there is no such coupon');
}
