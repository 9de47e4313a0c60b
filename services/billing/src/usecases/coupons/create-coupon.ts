import { randomUUID } from 'node:crypto';
import { type FieldMessages, fieldProblem } from '@panel/kit/errors';
import { createOnce } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { checkCoupon, type CouponFields } from '../../domain/check-coupon.js';
import type { Coupon } from '../../domain/coupon.js';
import { productIdProblems } from '../products/require-products.js';

export type NewCoupon = CouponFields & Pick<Coupon, 'type' | 'value' | 'currency'>;

/** Idempotent by id. Throws INVALID_FIELDS, COUPON_CODE_TAKEN. */
export async function createCoupon(
  { coupons, products, settings, clock }: BillingContext,
  { type, value, currency: given, ...rest }: NewCoupon,
  idempotencyId: string = randomUUID(),
): Promise<Coupon> {
  const { currency } = await settings.read();
  const isOther = type === 'fixed' && given !== '' && given !== currency;
  const at = clock();
  const ofCurrency: FieldMessages = isOther ? { currency: [fieldProblem('not_allowed', `must be ${currency}`)] } : {};
  const ofProducts = await productIdProblems({ products }, 'product_ids', rest.productIds);
  const fields = checkCoupon(rest, { type, value }, at, { ...ofCurrency, ...ofProducts });
  const { object } = await createOnce(idempotencyId, {
    find: async (id) => coupons.get(id),
    create: async (id) => {
      const terms = { type, value, currency: type === 'fixed' ? currency : '' };
      const created = { ...fields, ...terms, id, uses: 0, createdAt: at };
      await coupons.create(created);
      return created;
    },
  });
  return object;
}
