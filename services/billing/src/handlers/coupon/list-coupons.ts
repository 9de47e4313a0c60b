import { type Handler, presentEach } from '@panel/rpc';
import { Coupon, type CouponServiceService } from '@panel/protos/billing';
import { parsePage } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import { presentCoupon } from '../../present/coupon.js';
import { listCoupons } from '../../usecases/coupons/list-coupons.js';
import { pageInfo } from '../read-request.js';

export function handleListCoupons(context: BillingContext): Handler<CouponServiceService['listCoupons']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', code: 'code', uses: 'uses' });
    const { coupons, total } = await listCoupons(context, page);
    return { coupons: presentEach(call, coupons, presentCoupon, Coupon), page: pageInfo(page, total) };
  };
}
