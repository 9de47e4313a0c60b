import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentCoupon } from '../../present/coupon.js';
import { updateCoupon } from '../../usecases/coupons/update-coupon.js';
import { readCouponChanges } from '../read-request.js';

export function handleUpdateCoupon(context: BillingContext): Handler<CouponServiceService['updateCoupon']> {
  return async (request) => ({
    coupon: presentCoupon(await updateCoupon(context, request.couponId, readCouponChanges(request))),
  });
}
