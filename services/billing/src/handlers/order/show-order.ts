import type { Order as OrderMessage } from '@panel/protos/billing';
import type { Order } from '../../domain/order.js';
import { presentOrder } from '../../present/order.js';
import { orderIds } from '../../usecases/orders/order-ids.js';

/** An order with the ids of its invoice and services, which follow from its own. */
export function showOrder(order: Order): OrderMessage {
  const serviceIds = order.items.flatMap(({ quantity }, line) =>
    Array.from({ length: quantity }, (_, unit) => orderIds.subscription(order.id, line, unit)),
  );
  return presentOrder(order, { invoiceId: orderIds.invoice(order.id), serviceIds });
}
