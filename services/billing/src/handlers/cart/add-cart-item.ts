import type { Handler } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { presentCart } from '../../present/cart.js';
import { addCartItem as add } from '../../usecases/carts/change-cart.js';
import { readConfig } from '../read-request.js';

export function addCartItem(context: BillingContext): Handler<CartServiceService['addCartItem']> {
  return async ({ productId, planId, quantity, config }, { actor, idempotencyId }) => {
    const { userId } = requireUser(actor);
    const item = { productId, planId, quantity, config: readConfig(config) };
    return { cart: presentCart(await add(context, userId, item, idempotencyId)) };
  };
}
