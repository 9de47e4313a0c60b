import type { Handler } from '@panel/rpc';
import type { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { isAppError } from '@panel/kit/errors';
import { fail } from '../../reasons.js';
import { voidInvoice } from '../../usecases/invoices/void-invoice.js';
import { orderIds } from '../../usecases/orders/order-ids.js';
import { loadOrder } from '../load-owned.js';
import { showOrder } from './show-order.js';

export function cancelOrder(context: BillingContext): Handler<OrderServiceService['cancelOrder']> {
  return async ({ orderId }, call) => {
    const order = await loadOrder(context, orderId, call);
    try {
      await voidInvoice(context, orderIds.invoice(order.id));
    } catch (error) {
      if (!isAppError(error, 'INVOICE_NOT_PAYABLE')) throw error;
      throw fail('ORDER_PAID', 'a paid order cannot be cancelled: cancel its services', {}, { cause: error });
    }
    return { order: showOrder((await context.orders.get(orderId)) ?? order) };
  };
}
