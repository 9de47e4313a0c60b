import { addDaysTo } from '../domain/calendar.js';
import type { InvoiceRecord } from '../domain/invoice.js';
import { mailEntry } from '../domain/mail.js';
import { orderIds } from '../domain/order-ids.js';
import { invoiceOfOrder } from '../domain/order-invoice.js';
import { subscriptionsOfOrder } from '../domain/order-subscriptions.js';
import type { OrderRecord } from '../domain/order.js';
import type { SubscriptionRecord } from '../domain/subscription.js';
import type { FulfilmentDeps } from './dependencies.js';
import { confirmHolds } from './take-holds.js';

/** Result of an order. */
export interface Fulfilled {
  readonly order: OrderRecord;
  readonly invoice: InvoiceRecord;
  readonly subscriptions: readonly SubscriptionRecord[];
}

/**
 * Completes a decided order: subscriptions, invoice, number, cart. Idempotent through derived ids: any process can
 * repeat it.
 */
export async function fulfilOrder(deps: FulfilmentDeps, order: OrderRecord): Promise<Fulfilled> {
  const { subscriptions, invoices, numbers, carts, orders, failpoint, clock } = deps;
  const settings = await deps.settings.read();
  const isPaid = order.status !== 'pending';
  const invoiceId = orderIds.invoice(order.id);
  const insertSubscriptions = async () => {
    await subscriptions.insertAbsent(subscriptionsOfOrder(order, isPaid, settings));
    failpoint('fulfil.subscriptions');
  };
  const insertInvoice = async () => {
    const mail = mailEntry(invoiceId, isPaid ? 'invoice_paid' : 'invoice_issued', order.createdAt);
    const issued = invoiceOfOrder(order, isPaid, addDaysTo(order.dueAt, -settings.reminderDays));
    await invoices.insertIfAbsent(issued, order.totalMinor > 0 ? [mail] : []);
  };
  if (isPaid) await Promise.all([insertSubscriptions(), insertInvoice()]);
  else {
    // Subscriptions must exist before their payment.
    await insertSubscriptions();
    await insertInvoice();
  }
  failpoint('fulfil.invoice');
  await Promise.all([
    numbers.assign('invoice', invoiceId),
    confirmHolds(deps, order),
    carts.removeBought(order.userId, order.cartItemIds, order.couponCode, clock()),
  ]);
  failpoint('fulfil.numbered');
  if (isPaid) deps.runJob('sync-servers');
  failpoint('fulfil.effects');
  const [done, invoice, bought] = await Promise.all([
    orders.completeWork(order.id, ['pending', 'paid', 'completed']),
    invoices.get(invoiceId),
    subscriptions.ofOrder(order.id),
  ]);
  const current = done ?? (await orders.get(order.id));
  if (!current || !invoice) throw new Error('a fulfilled order has no invoice');
  return { order: current, invoice, subscriptions: bought };
}
