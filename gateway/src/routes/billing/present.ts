import {
  type GetCreditsResponse,
  type Invoice,
  Invoice_Status,
  type InvoiceItem,
  type Money,
  type Service,
  Service_Status,
} from '@panel/protos/billing';
import type { z } from 'zod';
import { enumWord, isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type { credits, invoice, service } from './schema.js';

type PresentedInvoice = z.input<typeof invoice>;
type PresentedService = z.input<typeof service>;

/** A sum of money; absent means nothing, in the currency of the object it belongs to. */
export function presentMoney(money: Money | undefined, currency: string): { amount: number; currency: string } {
  return { amount: money?.amountMinor ?? 0, currency: money?.currency || currency };
}

export function presentInvoice(message: Invoice | undefined): PresentedInvoice {
  const shown = required(message, 'invoice');
  const total = required(shown.total, 'total');
  const money = (value: Money | undefined) => presentMoney(value, total.currency);
  const customer = required(shown.customer, 'customer');
  const seller = required(shown.seller, 'seller');
  return {
    id: shown.id,
    number: textOrNull(shown.number),
    kind: enumWord(shown.kind, 'KIND_') as PresentedInvoice['kind'],
    status: enumWord(shown.status, 'STATUS_') as PresentedInvoice['status'],
    user_id: shown.userId,
    order_id: textOrNull(shown.orderId),
    corrects_invoice_id: textOrNull(shown.correctsInvoiceId),
    items: shown.items.map((item) => presentItem(item, money)),
    subtotal: money(shown.subtotal),
    discount: money(shown.discount),
    tax: money(shown.tax),
    total: money(total),
    tax_rate: shown.taxRateBasisPoints / 100,
    tax_inclusive: shown.taxInclusive,
    customer: {
      name: customer.name,
      email: customer.email,
      company: customer.company,
      address: customer.address,
      country: customer.country,
      vat_number: customer.vatNumber,
    },
    seller: { name: seller.name, address: seller.address, vat_number: seller.vatNumber },
    payments: shown.payments.map(({ id, method, amount, reference, createTime }) => {
      return { id, method, amount: money(amount), reference, created_at: isoTimeOf(createTime) };
    }),
    refunded: money(shown.refunded),
    issued_at: isoTime(shown.issueTime),
    due_at: isoTime(shown.dueTime),
    paid_at: isoTime(shown.paidTime),
    created_at: isoTimeOf(shown.createTime),
  };
}

function presentItem(
  item: InvoiceItem,
  money: (value: Money | undefined) => { amount: number; currency: string },
): PresentedInvoice['items'][number] {
  return {
    description: item.description,
    service_id: textOrNull(item.serviceId),
    quantity: item.quantity,
    unit_price: money(item.unitPrice),
    setup_fee: money(item.setupFee),
    discount: money(item.discount),
    net: money(item.net),
    tax: money(item.tax),
    total: money(item.total),
    period_start_at: isoTime(item.periodStartTime),
    period_end_at: isoTime(item.periodEndTime),
  };
}

export function presentService(message: Service | undefined): PresentedService {
  const shown = required(message, 'service');
  return {
    id: shown.id,
    user_id: shown.userId,
    order_id: textOrNull(shown.orderId),
    product: { id: shown.productId, name: shown.productName },
    plan: {
      id: shown.planId,
      name: shown.planName,
      interval: shown.interval,
      interval_count: shown.intervalCount,
    },
    status: enumWord(shown.status, 'STATUS_') as PresentedService['status'],
    suspend_reason: textOrNull(shown.suspendReason),
    server_id: textOrNull(shown.serverId),
    price: presentMoney(required(shown.price, 'price'), ''),
    next_due_at: isoTime(shown.nextDueTime),
    cancel_at_period_end: shown.cancelAtPeriodEnd,
    error: textOrNull(shown.error),
    attempts: shown.attempts,
    next_attempt_at: isoTime(shown.nextAttemptTime),
    created_at: isoTimeOf(shown.createTime),
    ended_at: isoTime(shown.endTime),
  };
}

export function presentCredits({ balance, entries }: GetCreditsResponse): z.input<typeof credits> {
  const { amount, currency } = presentMoney(required(balance, 'balance'), '');
  return {
    balance: amount,
    currency,
    entries: entries.map((entry) => ({
      id: entry.id,
      amount: entry.amount?.amountMinor ?? 0,
      reason: entry.reason,
      reference: textOrNull(entry.reference),
      created_at: isoTimeOf(entry.createTime),
    })),
  };
}

/** `unpaid` as the RPC names it; without one there is no filter. */
export function invoiceStatusOf(status: string | undefined): Invoice_Status {
  if (status === undefined) return Invoice_Status.UNSPECIFIED;
  return Invoice_Status[status.toUpperCase() as keyof typeof Invoice_Status];
}

export function serviceStatusOf(status: string | undefined): Service_Status {
  if (status === undefined) return Service_Status.UNSPECIFIED;
  return Service_Status[status.toUpperCase() as keyof typeof Service_Status];
}
