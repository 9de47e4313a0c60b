import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { couponDeletedEvent, couponEvent } from '../../present/activity-events.js';
import { handleCreateCoupon } from './create-coupon.js';
import { handleDeleteCoupon } from './delete-coupon.js';
import { handleListCoupons } from './list-coupons.js';
import { handleUpdateCoupon } from './update-coupon.js';

export function serveCoupons(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(CouponServiceService, {
    createCoupon: withActivity(activity, handleCreateCoupon(context), couponEvent('billing:coupon.create')),
    deleteCoupon: withActivity(activity, handleDeleteCoupon(context), couponDeletedEvent),
    listCoupons: handleListCoupons(context),
    updateCoupon: withActivity(activity, handleUpdateCoupon(context), couponEvent('billing:coupon.update')),
  });
}
