import { type Handler, requireUser } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { removeCartItem } from '../../usecases/carts/remove-cart-item.js';

export function handleRemoveCartItem(context: BillingContext): Handler<CartServiceService['removeCartItem']> {
  return async ({ itemId }, { actor }) => {
    await removeCartItem(context, requireUser(actor).userId, itemId);
    return {};
  };
}
