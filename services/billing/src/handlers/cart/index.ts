import { serve, type ServedService } from '@panel/rpc';
import { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { handleAddCartItem } from './add-cart-item.js';
import { handleApplyCoupon } from './apply-coupon.js';
import { handleGetCart } from './get-cart.js';
import { handleRemoveCartItem } from './remove-cart-item.js';
import { handleRemoveCoupon } from './remove-coupon.js';

export function serveCarts(context: BillingContext): ServedService {
  return serve(CartServiceService, {
    addCartItem: handleAddCartItem(context),
    applyCoupon: handleApplyCoupon(context),
    getCart: handleGetCart(context),
    removeCartItem: handleRemoveCartItem(context),
    removeCoupon: handleRemoveCoupon(context),
  });
}
