import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

export function deleteCoupon(context: BillingContext): Handler<CouponServiceService['deleteCoupon']> {
  return async ({ couponId }) => {
    if (!(await context.coupons.delete(couponId))) throw fail('COUPON_NOT_FOUND', 'there is no such coupon');
    return {};
  };
}
