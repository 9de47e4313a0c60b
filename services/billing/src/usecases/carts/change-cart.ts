import { randomUUID } from 'node:crypto';
import { AppError, type FieldMessages, invalidFields } from '@panel/kit/errors';
import { isCommandLine, isOneLine } from '@panel/kit/text';
import type { BillingContext } from '../../context.js';
import { type ItemConfig, maxCartItems, maxQuantity } from '../../domain/cart.js';
import { couponProblem } from '../../domain/coupon-rules.js';
import { fail } from '../../reasons.js';
import { isQuantity, planOf } from '../orders/price-items.js';
import { type PricedCart, priceCart } from './price-cart.js';

export interface NewCartItem {
  readonly productId: string;
  readonly planId: string;
  readonly quantity: number;
  readonly config: ItemConfig;
}

/** Put something into the cart. Only names are kept: prices are the catalogue's. Throws INVALID_FIELDS, CART_FULL. */
export async function addCartItem(
  context: BillingContext,
  userId: string,
  item: NewCartItem,
  idempotencyId: string = randomUUID(),
): Promise<PricedCart> {
  const product = await context.products.get(item.productId);
  const plan = product && planOf(product, item.planId);
  const problems: FieldMessages = { ...configProblems(item.config) };
  if (!product?.active) problems.product_id = ['is not for sale'];
  else if (!plan) problems.plan_id = ['is no plan of this product'];
  if (!isQuantity(item.quantity)) problems.quantity = [`must be a whole number from 1 to ${maxQuantity}`];
  if (!plan || Object.keys(problems).length > 0) throw invalidFields(problems);
  const cart = await context.carts.get(userId);
  const isThere = cart.items.some(({ id }) => id === idempotencyId);
  const added = { ...item, id: idempotencyId, planId: plan.id };
  if (!isThere && !(await context.carts.addItem(userId, added, context.clock()))) {
    throw fail('CART_FULL', `a cart holds at most ${maxCartItems} items`);
  }
  return priceCart(context, await context.carts.get(userId));
}

const maxVariables = 50;

/**
 * What is wrong with what a customer chose, by the rules that all servers have: nothing is sold that cannot be created. The
 * egg's own rules are checked when the server is created.
 */
export function configProblems({ serverName, environment }: ItemConfig, prefix = 'config.'): FieldMessages {
  const problems: FieldMessages = {};
  const isBlank = serverName !== '' && serverName.trim() === '';
  if (isBlank || serverName.length > 191 || !isOneLine(serverName)) {
    problems[`${prefix}server_name`] = ['must be one line of at most 191 characters'];
  }
  const entries = Object.entries(environment);
  if (entries.length > maxVariables) problems[`${prefix}environment`] = [`must be at most ${maxVariables} variables`];
  for (const [name, value] of entries) {
    const isFine = /^[A-Za-z_]\w{0,190}$/.test(name) && value.length <= 4096 && isCommandLine(value);
    if (!isFine)
      problems[`${prefix}environment`] = ['holds a variable that is no variable, is too long, or is no line'];
  }
  return problems;
}

const maxFailures = 10;
const windowMs = 10 * 60_000;

/** Use a coupon with the cart. Wrong codes are counted, so that codes cannot be guessed. */
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
