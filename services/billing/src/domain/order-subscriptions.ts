import type { OrderRecord } from './order.js';
import { orderIds } from './order-ids.js';
import { itemsOfOrder } from './order-invoice.js';
import { paidPeriodOf } from './paid-period.js';
import type { Plan } from './product.js';
import type { BillingSettings } from './settings.js';
import { startOf } from './subscription-start.js';
import type { SubscriptionRecord } from './subscription.js';

const noSync = { version: 0, dueAt: null, attempts: 0, lastError: '' };

/** One per unit; those of a paid order have started. */
export function subscriptionsOfOrder(
  order: OrderRecord,
  isPaid: boolean,
  settings: Pick<BillingSettings, 'timezone' | 'invoiceDaysBefore'>,
): SubscriptionRecord[] {
  const at = order.createdAt;
  const invoice = { id: orderIds.invoice(order.id), items: itemsOfOrder(order), refunds: [] };
  const started = (plan: Plan, line: number, unit: number) => {
    const start = startOf(plan, at, settings);
    const paid = start.nextDueAt ? [paidPeriodOf(invoice, line, { start: at, end: start.nextDueAt }, unit)] : [];
    return { ...start, paid, sync: { ...noSync, version: 1, dueAt: at } };
  };
  return order.items.flatMap((item, line) =>
    Array.from({ length: item.quantity }, (_, unit): SubscriptionRecord => ({
      id: orderIds.subscription(order.id, line, unit),
      userId: order.userId,
      orderId: order.id,
      productId: item.productId,
      productName: item.productName,
      plan: item.plan,
      server: item.server,
      config: item.config,
      discount: item.unitDiscount,
      status: 'pending',
      suspendReasons: [],
      serverId: '',
      sync: noSync,
      nextDueAt: null,
      anchorAt: null,
      periods: 0,
      renewAt: null,
      renewalSerial: 0,
      cancelAtPeriodEnd: false,
      change: null,
      limitsDue: false,
      unit: { id: orderIds.subscription(order.id, line, unit), productId: item.productId },
      creditDue: null,
      appliedChanges: [],
      meterAt: null,
      meteredUntil: null,
      suspendedAt: null,
      createdAt: order.createdAt,
      endedAt: null,
      paid: [],
      ...(isPaid ? started(item.plan, line, unit) : {}),
    })),
  );
}
