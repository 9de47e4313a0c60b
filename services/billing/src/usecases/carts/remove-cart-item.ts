import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Throws CART_ITEM_NOT_FOUND. */
export async function removeCartItem({ carts, clock }: BillingContext, userId: string, itemId: string): Promise<void> {
  if (!(await carts.removeItem(userId, itemId, clock()))) {
    throw fail('CART_ITEM_NOT_FOUND', 'there is no such item in the cart');
  }
}
