import { type Handler, requireUser } from '@panel/rpc';
import type { CartServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentCart } from '../../present/cart.js';
import { getCart } from '../../usecases/carts/get-cart.js';

export function handleGetCart(context: BillingContext): Handler<CartServiceService['getCart']> {
  return async (_request, { actor }) => ({ cart: presentCart(await getCart(context, requireUser(actor).userId)) });
}
