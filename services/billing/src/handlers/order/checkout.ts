import type { Handler } from '@panel/rpc';
import type { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { presentInvoice } from '../../present/invoice.js';
import { presentService } from '../../present/service.js';
import { invalidFields } from '@panel/kit/errors';
import { configProblems } from '../../usecases/carts/change-cart.js';
import { checkout as buy } from '../../usecases/orders/checkout.js';
import { readConfig } from '../read-request.js';
import { showOrder } from './show-order.js';

export function checkout(context: BillingContext): Handler<OrderServiceService['checkout']> {
  return async (request, { actor, idempotencyId }) => {
    const { userId } = requireUser(actor);
    const items = request.items.map((item) => ({ ...item, config: readConfig(item.config) }));
    const problems = items.map(({ config }, index) => configProblems(config, `items.${index}.config.`));
    if (problems.some((each) => Object.keys(each).length > 0)) throw invalidFields(Object.assign({}, ...problems));
    const { paymentMethod, couponCode, returnUrl, savePaymentMethod } = request;
    const input = { userId, paymentMethod, items, couponCode, returnUrl, savePaymentMethod };
    const { order, invoice, services, paymentUrl } = await buy(context, input, idempotencyId);
    return {
      order: showOrder(order),
      invoice: presentInvoice(invoice),
      services: services.map(presentService),
      paymentUrl,
    };
  };
}
