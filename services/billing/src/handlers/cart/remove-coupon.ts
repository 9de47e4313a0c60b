import { type Handler, requireUser } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { removeCoupon } from '../../usecases/carts/remove-coupon.js';

export function handleRemoveCoupon(context: BillingContext): Handler<CartServiceService['removeCoupon']> {
  return async (_request, { actor }) => {
    await removeCoupon(context, requireUser(actor).userId);
    return {};
  };
}
