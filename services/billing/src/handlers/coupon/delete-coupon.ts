import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { deleteCoupon } from '../../usecases/coupons/delete-coupon.js';

export function handleDeleteCoupon(context: BillingContext): Handler<CouponServiceService['deleteCoupon']> {
  return async ({ couponId }) => {
    await deleteCoupon(context, couponId);
    return {};
  };
}
