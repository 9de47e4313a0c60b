import type { Handler } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';

export function removeCoupon(context: BillingContext): Handler<CartServiceService['removeCoupon']> {
  return async (_request, { actor }) => {
    await context.carts.setCoupon(requireUser(actor).userId, '', context.clock());
    return {};
  };
}
