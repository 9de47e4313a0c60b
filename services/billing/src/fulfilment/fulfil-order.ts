import { mailEntry } from '../domain/mail.js';
import type { OrderRecord } from '../domain/order.js';
import type { FulfilmentDeps } from './dependencies.js';
import { addDaysTo } from '../domain/calendar.js';
import { applyInvoiceEffects } from '../invoicing/apply-effects.js';
import { invoiceOfOrder } from '../domain/order-invoice.js';
import { subscriptionsOfOrder } from '../domain/order-subscriptions.js';
import { orderIds } from '../domain/order-ids.js';
import { confirmHolds } from './take-holds.js';

/**
 * Everything that follows from a decided order: its subscriptions and its invoice, the number, the cart. Each part is there
 * already or is made under an id that follows from the order, so that any process can do all of it again.
 */
export async function fulfilOrder(deps: FulfilmentDeps, order: OrderRecord): Promise<void> {
  const { subscriptions, invoices, numbers, carts, orders, failpoint } = deps;
  for (const subscription of subscriptionsOfOrder(order)) await subscriptions.insertIfAbsent(subscription);
  failpoint('fulfil.subscriptions');
  const isPaid = order.status !== 'pending';
  const invoiceId = orderIds.invoice(order.id);
  const invoiceMail = mailEntry(invoiceId, isPaid ? 'invoice_paid' : 'invoice_issued', order.createdAt);
  const invoice = invoiceOfOrder(order, isPaid, await reminderAt(deps, order));
  await invoices.insertIfAbsent(invoice, order.totalMinor > 0 ? [invoiceMail] : []);
  failpoint('fulfil.invoice');
  await numbers.assign('invoice', invoiceId);
  failpoint('fulfil.numbered');
  await confirmHolds(deps, order);
  await carts.removeBought(order.userId, order.cartItemIds, order.couponCode, deps.clock());
  if (isPaid) await applyInvoiceEffects(deps, invoiceId);
  failpoint('fulfil.effects');
  await orders.completeWork(order.id, ['pending', 'paid', 'completed']);
}

async function reminderAt({ settings }: FulfilmentDeps, order: OrderRecord): Promise<Date> {
  const { reminderDays } = await settings.read();
  return addDaysTo(order.dueAt, -reminderDays);
}
