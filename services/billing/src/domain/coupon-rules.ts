import type { Coupon } from './coupon.js';
import { isEligible } from './quote.js';

/** Null: usable now. Redemption checks the counters. */
export function couponProblem(
  coupon: Coupon | null,
  order: { readonly productIds: readonly string[]; readonly currency: string; readonly at: Date },
): string | null {
  if (!coupon) return 'is not a valid code';
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
