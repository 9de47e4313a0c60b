import type { Customer, GetCreditsResponse, Invoice, InvoiceItem, Service } from '@panel/protos/billing';
import type { z } from 'zod';
import { enumWord, failureOrNull, isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import { presentMoney } from './money.js';
import type { credits, invoice, profile, service } from './schema.js';

type PresentedInvoice = z.input<typeof invoice>;
type PresentedService = z.input<typeof service>;

export function presentInvoice(message: Invoice | undefined): PresentedInvoice {
  const found = required(message, 'invoice');
  return {
    id: found.id,
    number: textOrNull(found.number),
    kind: enumWord(found.kind, 'KIND_') as PresentedInvoice['kind'],
    status: enumWord(found.status, 'STATUS_') as PresentedInvoice['status'],
    user_id: found.userId,
    order_id: textOrNull(found.orderId),
    corrects_invoice_id: textOrNull(found.correctsInvoiceId),
    items: found.items.map(presentItem),
    subtotal: presentMoney(found.subtotal),
    discount: presentMoney(found.discount),
    tax: presentMoney(found.tax),
    total: presentMoney(found.total),
    tax_rate: found.taxRateBasisPoints / 100,
    tax_inclusive: found.taxInclusive,
    customer: presentProfile(found.customer),
    seller: presentSeller(found),
    payments: found.payments.map(({ id, method, amount, reference, createTime }) => ({
      id,
      method,
      amount: presentMoney(amount),
      reference,
      created_at: isoTimeOf(createTime),
    })),
    refunded: presentMoney(found.refunded),
    issued_at: isoTimeOf(found.issueTime),
    due_at: isoTimeOf(found.dueTime),
    paid_at: isoTime(found.paidTime),
    created_at: isoTimeOf(found.createTime),
  };
}

function presentItem(item: InvoiceItem): PresentedInvoice['items'][number] {
  return {
    description: item.description,
    service_id: textOrNull(item.serviceId),
    quantity: item.quantity,
    unit_price: presentMoney(item.unitPrice),
    setup_fee: presentMoney(item.setupFee),
    discount: presentMoney(item.discount),
    net: presentMoney(item.net),
    tax: presentMoney(item.tax),
    total: presentMoney(item.total),
    period_start: isoTime(item.periodStartTime),
    period_end: isoTime(item.periodEndTime),
  };
}

function presentSeller({ seller }: Invoice): PresentedInvoice['seller'] {
  const { name, address, vatNumber } = required(seller, 'seller');
  return { name, address, vat_number: vatNumber };
}

export function presentProfile(customer: Customer | undefined): z.input<typeof profile> {
  const { name, email, company, address, country, vatNumber } = required(customer, 'customer');
  return { name, email, company, address, country, vat_number: vatNumber };
}

export function presentService(message: Service | undefined): PresentedService {
  const found = required(message, 'service');
  return {
    id: found.id,
    user_id: found.userId,
    order_id: found.orderId,
    product: { id: found.productId, name: found.productName },
    plan: { id: found.planId, name: found.planName },
    status: enumWord(found.status, 'STATUS_') as PresentedService['status'],
    suspend_reason: textOrNull(found.suspendReason) as PresentedService['suspend_reason'],
    server_id: textOrNull(found.serverId),
    price: presentMoney(found.price),
    interval: found.interval as PresentedService['interval'],
    interval_count: found.intervalCount,
    next_due_at: isoTime(found.nextDueTime),
    cancel_at_period_end: found.cancelAtPeriodEnd,
    config: { server_name: found.config?.serverName ?? '', environment: found.config?.environment ?? {} },
    error: failureOrNull(found.error),
    attempts: found.attempts,
    next_attempt_at: isoTime(found.nextAttemptTime),
    created_at: isoTimeOf(found.createTime),
    ended_at: isoTime(found.endTime),
  };
}

export function presentCredits({ balance, entries }: GetCreditsResponse): z.input<typeof credits> {
  const { amount, currency } = presentMoney(balance);
  return {
    balance: amount,
    currency,
    entries: entries.map((entry) => ({
      id: entry.id,
      amount: presentMoney(entry.amount),
      reason: entry.reason,
      reference: textOrNull(entry.reference),
      created_at: isoTimeOf(entry.createTime),
    })),
  };
}
