import type { OrderRecord } from './order.js';
import { orderIds } from './order-ids.js';
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
      suspendReason: null,
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
      returnDue: false,
      unitProductId: item.productId,
      creditDue: null,
      appliedChanges: [],
      meterAt: null,
      meteredUntil: null,
      suspendedAt: null,
      createdAt: order.createdAt,
      endedAt: null,
      ...(isPaid ? { ...startOf(item.plan, at, settings), sync: { ...noSync, version: 1, dueAt: at } } : {}),
    })),
  );
}
