import { AppError, invalidFields } from '@panel/kit/errors';
import type { PricedCart } from '../../domain/priced-cart.js';
import type { BillingContext } from '../../context.js';
import { couponProblem } from '../../domain/coupon-rules.js';
import { planOf } from '../../domain/product.js';
import { priceCart } from './price-cart.js';

const maxFailures = 10;
const windowMs = 10 * 60_000;

/** Wrong codes are counted against guessing. */
export async function applyCoupon(context: BillingContext, userId: string, code: string): Promise<PricedCart> {
  const { attempts, carts, coupons, products, clock } = context;
  const key = `coupon:${userId}`;
  if ((await attempts.failures(key, clock())) >= maxFailures) throw tooManyAttempts();
  const cart = await carts.get(userId);
  const coupon = code.length > 100 ? null : await coupons.findByCode(code);
  const found = await products.getMany(cart.items.map(({ productId }) => productId));
  const first = cart.items[0];
  const product = found.find(({ id }) => id === first?.productId);
  const currency = product && first ? (planOf(product, first.planId)?.currency ?? '') : '';
  const productIds = cart.items.map(({ productId }) => productId);
  const problem = couponProblem(coupon, { productIds, currency, at: clock() });
  if (problem || !coupon) {
    await attempts.addFailure(key, clock(), windowMs);
    throw invalidFields({ code: [problem ?? 'is not a valid code'] });
  }
  await carts.setCoupon(userId, coupon.code, clock());
  return priceCart(context, await carts.get(userId));
}

function tooManyAttempts(): AppError {
  return new AppError('resource_exhausted', 'RATE_LIMIT_EXCEEDED', 'too many wrong codes', {
    retryAfterSeconds: windowMs / 1_000,
  });
}
