import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import type { InvoiceItem } from '../../domain/invoice.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import type { OrderRecord } from '../../models/order.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { applyInvoiceEffects } from '../invoices/apply-effects.js';
import { mailEntry } from '../mail/mail-entry.js';
import { orderIds } from './order-ids.js';
import { confirmHolds } from './take-holds.js';

/**
 * Everything that follows from a decided order: its subscriptions and its invoice, the number, the cart. Each part is there
 * already or is made under an id that follows from the order, so that any process can do all of it again.
 */
export async function fulfilOrder(context: BillingContext, order: OrderRecord): Promise<void> {
  const { subscriptions, invoices, numbers, carts, orders, failpoint } = context;
  for (const subscription of subscriptionsOf(order)) await subscriptions.insertIfAbsent(subscription);
  failpoint('fulfil.subscriptions');
  const isPaid = order.status !== 'pending';
  const invoiceId = orderIds.invoice(order.id);
  const invoiceMail = mailEntry(invoiceId, isPaid ? 'invoice_paid' : 'invoice_issued', order.createdAt);
  const invoice = invoiceOf(order, isPaid, await reminderAt(context, order));
  await invoices.insertIfAbsent(invoice, order.totalMinor > 0 ? [invoiceMail] : []);
  failpoint('fulfil.invoice');
  await numbers.assign('invoice', invoiceId);
  failpoint('fulfil.numbered');
  await confirmHolds(context, order);
  await carts.removeBought(order.userId, order.cartItemIds, order.couponCode, context.clock());
  if (isPaid) await applyInvoiceEffects(context, invoiceId);
  failpoint('fulfil.effects');
  await orders.completeWork(order.id, ['pending', 'paid', 'completed']);
}

async function reminderAt({ settings }: BillingContext, order: OrderRecord): Promise<Date> {
  const { reminderDays } = await settings.read();
  return addDaysTo(order.dueAt, -reminderDays);
}

function subscriptionsOf(order: OrderRecord): SubscriptionRecord[] {
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
      sync: { version: 0, dueAt: null, attempts: 0, lastError: '' },
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
    })),
  );
}

function invoiceOf(order: OrderRecord, isPaid: boolean, remindAt: Date): InvoiceRecord {
  const at = order.createdAt;
  const id = orderIds.invoice(order.id);
  const isFromCredits = isPaid && order.totalMinor > 0;
  const debit = {
    id: orderIds.debit(order.id),
    method: 'credits',
    amountMinor: order.totalMinor,
    reference: orderIds.debit(order.id),
    at,
  };
  return {
    id,
    kind: 'invoice',
    sequence: null,
    number: '',
    status: isPaid ? 'paid' : 'unpaid',
    userId: order.userId,
    orderId: order.id,
    correctsInvoiceId: '',
    currency: order.currency,
    items: order.items.map((_item, line) => itemOf(order, line)),
    subtotalMinor: order.subtotalMinor,
    discountMinor: order.discountMinor,
    taxMinor: order.taxMinor,
    totalMinor: order.totalMinor,
    taxRateBasisPoints: order.taxRateBasisPoints,
    taxInclusive: order.taxInclusive,
    customer: order.customer,
    seller: order.seller,
    payments: isFromCredits ? [debit] : [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt: order.dueAt,
    paidAt: isPaid ? at : null,
    createdAt: at,
    intent: null,
    effectsDueAt: isPaid ? at : null,
    step: isPaid ? null : 'remind',
    stepAt: isPaid ? null : remindAt,
  };
}

/** One line; its subscription is the first one of its units, and all of them start with its payment. */
function itemOf(order: OrderRecord, line: number): InvoiceItem {
  const item = order.items[line];
  if (!item) throw new RangeError('an order has no such line');
  return {
    purpose: 'start',
    description: `${item.productName} – ${item.plan.name}`,
    subscriptionId: orderIds.subscription(order.id, line, 0),
    productId: item.productId,
    productName: item.productName,
    quantity: item.quantity,
    unitPriceMinor: item.plan.priceMinor,
    setupFeeMinor: item.plan.setupFeeMinor,
    discountMinor: item.discountMinor,
    netMinor: item.netMinor,
    taxMinor: item.taxMinor,
    totalMinor: item.totalMinor,
    periodStart: null,
    periodEnd: null,
  };
}
