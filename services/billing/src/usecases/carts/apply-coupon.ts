import type { PricedCart } from '../../domain/priced-cart.js';
import type { BillingContext } from '../../context.js';
import { planOf } from '../../domain/product.js';
import { requireTypedCoupon } from '../coupons/require-typed-coupon.js';
import { priceCart } from './price-cart.js';

/** Throws INVALID_FIELDS naming `code`, RATE_LIMIT_EXCEEDED. */
export async function applyCoupon(context: BillingContext, userId: string, code: string): Promise<PricedCart> {
  const { carts, products, clock } = context;
  const cart = await carts.get(userId);
  const productIds = cart.items.map(({ productId }) => productId);
  const found = await products.getMany(productIds);
  const first = cart.items[0];
  const product = found.find(({ id }) => id === first?.productId);
  const currency = product && first ? (planOf(product, first.planId)?.currency ?? '') : '';
  const order = { productIds, currency, at: clock() };
  const coupon = await requireTypedCoupon(context, { userId, code, field: 'code' }, order);
  await carts.setCoupon(userId, coupon.code, clock());
  return priceCart(context, await carts.get(userId));
}
