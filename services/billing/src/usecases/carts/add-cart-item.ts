import { randomUUID } from 'node:crypto';
import { type FieldMessages, invalidFields, fieldProblem } from '@panel/kit/errors';
import type { PricedCart } from '../../domain/priced-cart.js';
import { configProblems } from '../../domain/check-item-config.js';
import { planOf } from '../../domain/product.js';
import { isQuantity, type ItemConfig, maxCartItems, maxQuantity } from '../../domain/cart.js';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { variableProblems } from '../orders/variable-problems.js';
import { priceCart } from './price-cart.js';

interface NewCartItem {
  readonly productId: string;
  readonly planId: string;
  readonly quantity: number;
  readonly config: ItemConfig;
}

/** Throws INVALID_FIELDS, CART_FULL. */
export async function addCartItem(
  context: BillingContext,
  userId: string,
  item: NewCartItem,
  idempotencyId: string = randomUUID(),
): Promise<PricedCart> {
  const product = await context.products.get(item.productId);
  const plan = product && planOf(product, item.planId);
  const problems: FieldMessages = { ...configProblems(item.config) };
  if (!product?.active) problems.product_id = [fieldProblem('not_found', 'is not for sale')];
  else if (!plan) problems.plan_id = [fieldProblem('not_found', 'is no plan of this product')];
  if (!isQuantity(item.quantity))
    problems.quantity = [fieldProblem('out_of_range', `must be a whole number from 1 to ${maxQuantity}`)];
  if (product && plan) Object.assign(problems, await variableProblems(context, product, item.config, ''));
  if (!plan || Object.keys(problems).length > 0) throw invalidFields(problems);
  const cart = await context.carts.get(userId);
  const isThere = cart.items.some(({ id }) => id === idempotencyId);
  const added = { ...item, id: idempotencyId, planId: plan.id };
  if (!isThere && !(await context.carts.addItem(userId, added, context.clock()))) {
    throw fail('CART_FULL', `a cart holds at most ${maxCartItems} items`);
  }
  return priceCart(context, await context.carts.get(userId));
}
