import type { Coupon } from './coupon.js';
import { isEligible } from './quote.js';

/** What a coupon must fit; nothing in it fits any. */
export interface CouponOrder {
  readonly productIds: readonly string[];
  /** Empty: open. */
  readonly currency: string;
  readonly at: Date;
}

/** Null: usable now. Redemption checks the counters. */
export function couponProblem(coupon: Coupon, order: CouponOrder): string | null {
  if (coupon.startsAt && order.at < coupon.startsAt) return 'is not valid yet';
  if (coupon.expiresAt && order.at >= coupon.expiresAt) return 'has expired';
  if (coupon.maxUses !== null && coupon.uses >= coupon.maxUses) return 'is used up';
  if (coupon.type === 'fixed' && order.currency !== '' && coupon.currency !== order.currency) {
    return `is for purchases in ${coupon.currency}`;
  }
  if (order.productIds.length > 0 && !order.productIds.some((id) => isEligible(coupon, id))) {
    return 'is not for these products';
  }
  return null;
}
