import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentCoupon } from '../../present/coupon.js';
import { createCoupon } from '../../usecases/coupons/create-coupon.js';
import { readNewCoupon } from '../read-request.js';

export function handleCreateCoupon(context: BillingContext): Handler<CouponServiceService['createCoupon']> {
  return async ({ coupon }, { idempotencyId }) => ({
    coupon: presentCoupon(await createCoupon(context, readNewCoupon(coupon), idempotencyId)),
  });
}
