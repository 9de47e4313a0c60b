import { serve, type ServedService } from '@panel/rpc';
import { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { addCartItemHandler } from './add-cart-item.js';
import { applyCouponHandler } from './apply-coupon.js';
import { getCartHandler } from './get-cart.js';
import { removeCartItemHandler } from './remove-cart-item.js';
import { removeCouponHandler } from './remove-coupon.js';

export function serveCarts(context: BillingContext): ServedService {
  return serve(CartServiceService, {
    addCartItem: addCartItemHandler(context),
    applyCoupon: applyCouponHandler(context),
    getCart: getCartHandler(context),
    removeCartItem: removeCartItemHandler(context),
    removeCoupon: removeCouponHandler(context),
  });
}
