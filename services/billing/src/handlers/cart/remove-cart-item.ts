import type { Handler } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { fail } from '../../reasons.js';

export function removeCartItem(context: BillingContext): Handler<CartServiceService['removeCartItem']> {
  return async ({ itemId }, { actor }) => {
    const { userId } = requireUser(actor);
    const isRemoved = await context.carts.removeItem(userId, itemId, context.clock());
    if (!isRemoved) throw fail('CART_ITEM_NOT_FOUND', 'there is no such item in the cart');
    return {};
  };
}
