import { type Handler, requireUser } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentCart } from '../../present/cart.js';
import { applyCoupon } from '../../usecases/carts/apply-coupon.js';

export function handleApplyCoupon(context: BillingContext): Handler<CartServiceService['applyCoupon']> {
  return async ({ code }, { actor }) => ({
    cart: presentCart(await applyCoupon(context, requireUser(actor).userId, code)),
  });
}
