import { serve, type ServedService } from '@panel/rpc';
import { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { couponDeletedEvent, couponEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { handleCreateCoupon } from './create-coupon.js';
import { handleDeleteCoupon } from './delete-coupon.js';
import { handleListCoupons } from './list-coupons.js';
import { handleUpdateCoupon } from './update-coupon.js';

export function serveCoupons(context: BillingContext): ServedService {
  return serve(CouponServiceService, {
    createCoupon: withActivity(context, handleCreateCoupon(context), couponEvent('billing:coupon.create')),
    deleteCoupon: withActivity(context, handleDeleteCoupon(context), couponDeletedEvent),
    listCoupons: handleListCoupons(context),
    updateCoupon: withActivity(context, handleUpdateCoupon(context), couponEvent('billing:coupon.update')),
  });
}
