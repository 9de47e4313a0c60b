import { enumOf, messageFields } from '@panel/kit/records';
import { type Coupon as CouponMessage, Coupon_Type } from '@panel/protos/billing';
import type { Coupon } from '../domain/coupon.js';

export function presentCoupon(coupon: Coupon): CouponMessage {
  return {
    ...messageFields(coupon),
    type: enumOf(Coupon_Type, coupon.type),
    startTime: coupon.startsAt ?? undefined,
    expireTime: coupon.expiresAt ?? undefined,
    createTime: coupon.createdAt,
  };
}
