import type { Handler } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { presentCart } from '../../present/cart.js';
import { applyCoupon as apply } from '../../usecases/carts/change-cart.js';

export function applyCoupon(context: BillingContext): Handler<CartServiceService['applyCoupon']> {
  return async ({ code }, { actor }) => {
    const { userId } = requireUser(actor);
    return { cart: presentCart(await apply(context, userId, code)) };
  };
}
