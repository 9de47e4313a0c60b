import type { PricedCart } from '../../domain/priced-cart.js';
import type { BillingContext } from '../../context.js';
import { priceCart } from './price-cart.js';

export async function getCart(context: BillingContext, userId: string): Promise<PricedCart> {
  return priceCart(context, await context.carts.get(userId));
}
