import type { BillingContext } from '../../context.js';
import { checkCoupon, type CouponFields } from '../../domain/check-coupon.js';
import type { Coupon } from '../../domain/coupon.js';
import { productIdProblems } from '../products/require-products.js';
import { fail } from '../../reasons.js';

/** Throws INVALID_FIELDS, COUPON_NOT_FOUND, COUPON_CODE_TAKEN. */
export async function updateCoupon(
  { coupons, products }: BillingContext,
  couponId: string,
  { value, ...given }: Partial<CouponFields> & { readonly value: number | undefined },
): Promise<Coupon> {
  const before = await coupons.get(couponId);
  const ids = given.productIds ?? [];
  const ofProducts = before ? await productIdProblems({ products }, 'product_ids', ids, before.productIds) : {};
  const fields = before && checkCoupon(given, { type: before.type, value }, null, ofProducts);
  const coupon = fields && (await coupons.update(couponId, { ...fields, ...(value === undefined ? {} : { value }) }));
  if (!coupon) throw fail('COUPON_NOT_FOUND', 'there is no such coupon');
  return coupon;
}
