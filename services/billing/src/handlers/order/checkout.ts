import { type Handler, requireUser } from '@panel/rpc';
import type { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { presentOrder } from '../../present/order.js';
import { presentService } from '../../present/service.js';
import { checkout } from '../../usecases/orders/checkout.js';
import { readCheckout } from '../read-request.js';

export function handleCheckout(context: BillingContext): Handler<OrderServiceService['checkout']> {
  return async (request, { actor, idempotencyId }) => {
    const input = readCheckout(request, requireUser(actor).userId);
    const { order, invoice, subscriptions, paymentUrl } = await checkout(context, input, idempotencyId);
    return {
      order: presentOrder(order),
      invoice: presentInvoice(invoice),
      services: subscriptions.map(presentService),
      paymentUrl,
    };
  };
}
