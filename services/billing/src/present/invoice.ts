import {
  Invoice as InvoiceMessage,
  Invoice_Kind,
  Invoice_Status,
  InvoiceItem as ItemMessage,
  Payment as PaymentMessage,
} from '@panel/protos/billing';
import type { Invoice, InvoiceItem, InvoicePayment } from '../domain/invoice.js';
import { presentMoney } from './money.js';
import { enumOf } from './words.js';

export function presentInvoice(invoice: Invoice): InvoiceMessage {
  const { currency } = invoice;
  const money = (amountMinor: number) => presentMoney(amountMinor, currency);
  return InvoiceMessage.create({
    id: invoice.id,
    number: invoice.number,
    kind: enumOf(Invoice_Kind, 'KIND_', invoice.kind),
    status: enumOf(Invoice_Status, 'STATUS_', invoice.status),
    userId: invoice.userId,
    orderId: invoice.orderId,
    correctsInvoiceId: invoice.correctsInvoiceId,
    items: invoice.items.map((item) => presentItem(item, currency)),
    subtotal: money(invoice.subtotalMinor),
    discount: money(invoice.discountMinor),
    tax: money(invoice.taxMinor),
    total: money(invoice.totalMinor),
    taxRateBasisPoints: invoice.taxRateBasisPoints,
    taxInclusive: invoice.taxInclusive,
    customer: { ...invoice.customer },
    seller: { ...invoice.seller },
    payments: invoice.payments.map((payment) => presentPayment(payment, currency)),
    refunded: money(invoice.refundedMinor),
    issueTime: invoice.issuedAt,
    dueTime: invoice.dueAt,
    paidTime: invoice.paidAt ?? undefined,
    createTime: invoice.createdAt,
  });
}

function presentItem(item: InvoiceItem, currency: string): ItemMessage {
  const money = (amountMinor: number) => presentMoney(amountMinor, currency);
  return ItemMessage.create({
    description: item.description,
    serviceId: item.subscriptionId,
    quantity: item.quantity,
    unitPrice: money(item.unitPriceMinor),
    setupFee: money(item.setupFeeMinor),
    discount: money(item.discountMinor),
    net: money(item.netMinor),
    tax: money(item.taxMinor),
    total: money(item.totalMinor),
    periodStartTime: item.periodStart ?? undefined,
    periodEndTime: item.periodEnd ?? undefined,
  });
}

function presentPayment({ id, method, amountMinor, reference, at }: InvoicePayment, currency: string): PaymentMessage {
  return PaymentMessage.create({ id, method, amount: presentMoney(amountMinor, currency), reference, createTime: at });
}
