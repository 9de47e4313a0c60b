import { serve, type ServedService } from '@panel/rpc';
import { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { couponDeletedEvent, couponEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { createCouponHandler } from './create-coupon.js';
import { deleteCouponHandler } from './delete-coupon.js';
import { listCouponsHandler } from './list-coupons.js';
import { updateCouponHandler } from './update-coupon.js';

export function serveCoupons(context: BillingContext): ServedService {
  return serve(CouponServiceService, {
    createCoupon: withActivity(context, createCouponHandler(context), couponEvent('billing:coupon.create')),
    deleteCoupon: withActivity(context, deleteCouponHandler(context), couponDeletedEvent),
    listCoupons: listCouponsHandler(context),
    updateCoupon: withActivity(context, updateCouponHandler(context), couponEvent('billing:coupon.update')),
  });
}
