import type { Handler } from '@panel/rpc';
import type { CouponServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentCoupon } from '../../present/coupon.js';
import { fail } from '../../reasons.js';
import { checkCoupon } from '../../usecases/coupons/check-coupon.js';

export function updateCoupon(context: BillingContext): Handler<CouponServiceService['updateCoupon']> {
  return async (request) => {
    const { couponId, code, value, maxUses, maxUsesPerUser, recurring, startTime, expireTime } = request;
    const before = await context.coupons.get(couponId);
    if (!before) throw fail('COUPON_NOT_FOUND', 'there is no such coupon');
    const fields = checkCoupon(
      {
        code,
        productIds: request.productIds?.productIds,
        maxUses: maxUses && (maxUses.value ?? null),
        maxUsesPerUser: maxUsesPerUser && (maxUsesPerUser.value ?? null),
        recurring: recurring && (recurring.value ?? null),
        startsAt: startTime && (startTime.value ?? null),
        expiresAt: expireTime && (expireTime.value ?? null),
      },
      { type: before.type, value },
      null,
    );
    const coupon = await context.coupons.update(couponId, { ...fields, ...(value === undefined ? {} : { value }) });
    if (!coupon) throw fail('COUPON_NOT_FOUND', 'there is no such coupon');
    return { coupon: presentCoupon(coupon) };
  };
}
