import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import type { InvoiceItem, InvoicePayment } from '../../domain/invoice.js';
import { taxRateFor } from '../../domain/tax.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import { loadCustomer } from '../load-customer.js';
import { mailEntry } from '../mail/mail-entry.js';

export interface NewInvoice {
  readonly id: string;
  readonly userId: string;
  readonly currency: string;
  readonly at: Date;
  readonly dueAt: Date;
  /** Taxed at the customer's rate already. */
  readonly items: readonly InvoiceItem[];
  /** Of what is paid before it is invoiced. */
  readonly payment?: InvoicePayment;
}

/** Issue an invoice, or answer the one with this id. It has its number when this resolves. */
export async function newInvoice(context: BillingContext, request: NewInvoice): Promise<InvoiceRecord> {
  const existing = await context.invoices.get(request.id);
  if (!existing) {
    const invoice = await prepareInvoice(context, request);
    const event = request.payment ? 'invoice_paid' : 'invoice_issued';
    const mails = invoice.totalMinor > 0 ? [mailEntry(request.id, event, request.at)] : [];
    await context.invoices.insertOnce(invoice, mails);
  }
  await context.numbers.assign('invoice', request.id);
  const issued = await context.invoices.get(request.id);
  if (!issued) throw new Error('an invoice that was issued is not there');
  return issued;
}

async function prepareInvoice(context: BillingContext, request: NewInvoice): Promise<InvoiceRecord> {
  const { id, userId, currency, at, dueAt, items, payment } = request;
  const [settings, profile, customer] = await Promise.all([
    context.settings.read(),
    context.profiles.get(userId),
    loadCustomer(context, userId),
  ]);
  const rate = taxRateFor(profile.country, settings);
  const sum = (amount: (item: InvoiceItem) => number) => items.reduce((total, item) => total + amount(item), 0);
  const totalMinor = sum((item) => item.totalMinor);
  const isFree = totalMinor === 0;
  const isPaid = isFree || payment !== undefined;
  const remindAt = addDaysTo(dueAt, -settings.reminderDays);
  const { name, company, address, country, vatNumber } = profile;
  return {
    id,
    kind: 'invoice',
    sequence: null,
    number: '',
    status: isPaid ? 'paid' : 'unpaid',
    userId,
    orderId: '',
    correctsInvoiceId: '',
    currency,
    items,
    subtotalMinor: sum((item) => item.quantity * (item.unitPriceMinor + item.setupFeeMinor)),
    discountMinor: sum((item) => item.discountMinor),
    taxMinor: sum((item) => item.taxMinor),
    totalMinor,
    taxRateBasisPoints: rate.basisPoints,
    taxInclusive: rate.isInclusive,
    customer: { name: name || customer.name, email: customer.email, company, address, country, vatNumber },
    seller: settings.seller,
    payments: payment ? [payment] : [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt,
    paidAt: isPaid ? at : null,
    createdAt: at,
    intent: null,
    effectsDueAt: isFree ? at : null,
    step: isPaid ? null : 'remind',
    stepAt: isPaid ? null : remindAt,
  };
}
