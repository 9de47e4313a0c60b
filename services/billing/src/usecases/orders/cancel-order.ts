import { isAppError } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import type { OrderRecord } from '../../domain/order.js';
import { orderIds } from '../../domain/order-ids.js';
import { voidInvoice } from '../../invoicing/void-invoice.js';
import { fail } from '../../reasons.js';

/** Voids its invoice. Idempotent. Throws ORDER_PAID. */
export async function cancelOrder(context: BillingContext, order: OrderRecord): Promise<OrderRecord> {
  try {
    await voidInvoice(context, orderIds.invoice(order.id));
  } catch (error) {
    if (!isAppError(error, 'INVOICE_NOT_PAYABLE')) throw error;
    throw fail('ORDER_PAID', 'a paid order cannot be cancelled: cancel its services', {}, { cause: error });
  }
  return (await context.orders.get(order.id)) ?? order;
}
