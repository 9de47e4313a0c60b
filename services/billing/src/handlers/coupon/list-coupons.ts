import { type Handler, presentEach } from '@panel/rpc';
import { Coupon, type CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { parsePage } from '@panel/kit/mongo';
import { presentCoupon } from '../../present/coupon.js';
import { pageInfo } from '../read-request.js';

export function listCoupons(context: BillingContext): Handler<CouponServiceService['listCoupons']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', code: 'code', uses: 'uses' });
    const { coupons, total } = await context.coupons.list(page);
    return { coupons: presentEach(call, coupons, presentCoupon, Coupon), page: pageInfo(page, total) };
  };
}
