import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requirePermission } from '@panel/rpc';
import { fail } from '../../reasons.js';

export function deleteCoupon(context: BillingContext): Handler<CouponServiceService['deleteCoupon']> {
  return async ({ couponId }, { actor }) => {
    requirePermission(actor, 'billing.delete');
    if (!(await context.coupons.delete(couponId))) throw fail('COUPON_NOT_FOUND', 'there is no such coupon');
    return {};
  };
}
