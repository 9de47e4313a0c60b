import { isRecurring } from './calendar.js';
import type { InvoiceItem, InvoiceRecord } from './invoice.js';
import type { OrderRecord } from './order.js';
import { orderIds } from './order-ids.js';
import type { Plan } from './product.js';

export function invoiceOfOrder(order: OrderRecord, isPaid: boolean, remindAt: Date): InvoiceRecord {
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
    items: itemsOfOrder(order),
    subtotalMinor: order.subtotalMinor,
    discountMinor: order.discountMinor,
    taxMinor: order.taxMinor,
    totalMinor: order.totalMinor,
    taxRateBasisPoints: order.taxRateBasisPoints,
    taxInclusive: order.taxInclusive,
    ...(order.tax ? { tax: order.tax } : {}),
    ...(order.evidence ? { evidence: order.evidence } : {}),
    customer: order.customer,
    seller: order.seller,
    ...(order.timezone === undefined ? {} : { timezone: order.timezone }),
    ...(order.language === undefined ? {} : { language: order.language }),
    payments: isFromCredits ? [debit] : [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt: order.dueAt,
    paidAt: isPaid ? at : null,
    createdAt: at,
    intent: null,
    effectsDueAt: null,
    step: isPaid ? null : 'remind',
    stepAt: isPaid ? null : remindAt,
  };
}

function termOf({ interval, intervalCount }: Plan): Pick<InvoiceItem, 'term'> {
  return isRecurring(interval) ? { term: { interval, count: intervalCount } } : {};
}

/** Each names the first subscription of its units; the payment starts all. */
export function itemsOfOrder(order: OrderRecord): InvoiceItem[] {
  return order.items.map((item, line) => ({
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
    ...termOf(item.plan),
  }));
}
