import type { Handler } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { presentCart } from '../../present/cart.js';
import { priceCart } from '../../usecases/carts/price-cart.js';

export function getCart(context: BillingContext): Handler<CartServiceService['getCart']> {
  return async (_request, { actor }) => {
    const { userId } = requireUser(actor);
    return { cart: presentCart(await priceCart(context, await context.carts.get(userId))) };
  };
}
