import { enumOf, messageFields } from '@panel/kit/records';
import { type Order as OrderMessage, Order_Status, type OrderItem as ItemMessage } from '@panel/protos/billing';
import type { Order, OrderItem } from '../domain/order.js';
import { orderIds } from '../domain/order-ids.js';
import { presentMoney } from './money.js';

/** Invoice and service ids are derived. */
export function presentOrder(order: Order): OrderMessage {
  const serviceIds = order.items.flatMap(({ quantity }, line) =>
    Array.from({ length: quantity }, (_, unit) => orderIds.subscription(order.id, line, unit)),
  );
  return {
    ...messageFields(order),
    status: order.status === 'placing' ? Order_Status.PENDING : enumOf(Order_Status, order.status),
    items: order.items.map((item) => presentItem(item, order.currency)),
    total: presentMoney(order.totalMinor, order.currency),
    invoiceId: orderIds.invoice(order.id),
    serviceIds,
    createTime: order.createdAt,
  };
}

function presentItem(item: OrderItem, currency: string): ItemMessage {
  const money = (amountMinor: number) => presentMoney(amountMinor, currency);
  return {
    ...messageFields(item),
    planId: item.plan.id,
    planName: item.plan.name,
    unitPrice: money(item.plan.priceMinor),
    setupFee: money(item.plan.setupFeeMinor),
    discount: money(item.discountMinor),
    tax: money(item.taxMinor),
    total: money(item.totalMinor),
  };
}
