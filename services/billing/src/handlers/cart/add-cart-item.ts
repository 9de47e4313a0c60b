import { type Handler, requireUser } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentCart } from '../../present/cart.js';
import { addCartItem } from '../../usecases/carts/add-cart-item.js';
import { readItemConfig } from '../read-request.js';

export function handleAddCartItem(context: BillingContext): Handler<CartServiceService['addCartItem']> {
  return async ({ productId, planId, quantity, config }, { actor, idempotencyId }) => {
    const item = { productId, planId, quantity, config: readItemConfig(config) };
    return { cart: presentCart(await addCartItem(context, requireUser(actor).userId, item, idempotencyId)) };
  };
}
