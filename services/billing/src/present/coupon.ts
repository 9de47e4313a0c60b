import { Coupon as CouponMessage, Coupon_Type } from '@panel/protos/billing';
import type { Coupon } from '../domain/coupon.js';
import { enumOf } from './words.js';

export function presentCoupon(coupon: Coupon): CouponMessage {
  return CouponMessage.create({
    id: coupon.id,
    code: coupon.code,
    type: enumOf(Coupon_Type, 'TYPE_', coupon.type),
    value: coupon.value,
    currency: coupon.currency,
    productIds: [...coupon.productIds],
    maxUses: coupon.maxUses ?? undefined,
    uses: coupon.uses,
    maxUsesPerUser: coupon.maxUsesPerUser ?? undefined,
    recurring: coupon.recurring ?? undefined,
    startTime: coupon.startsAt ?? undefined,
    expireTime: coupon.expiresAt ?? undefined,
    createTime: coupon.createdAt,
  });
}
