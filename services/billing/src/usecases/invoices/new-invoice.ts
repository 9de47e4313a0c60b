import { AppError } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import type { InvoiceItem, InvoicePayment } from '../../domain/invoice.js';
import type { BillingProfile } from '../../domain/profile.js';
import type { BillingSettings } from '../../domain/settings.js';
import { taxRateFor } from '../../domain/tax.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import { type Customer, loadCustomers } from '../load-customer.js';
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
  if (existing && existing.number !== '') return existing;
  const profile = await context.profiles.get(request.userId);
  const [issued] = await newInvoices(context, [request], new Map([[request.userId, profile]]));
  if (!issued) throw new AppError('not_found', 'USER_NOT_FOUND', 'there is no such user');
  return issued;
}

/**
 * Issue many invoices in as many steps as one takes: those that are there already stay as they are. They have their numbers
 * when this resolves; those of customers who are gone are left out.
 */
export async function newInvoices(
  context: BillingContext,
  requests: readonly NewInvoice[],
  profiles: ReadonlyMap<string, BillingProfile>,
): Promise<InvoiceRecord[]> {
  const userIds = requests.map(({ userId }) => userId);
  const [settings, customers] = await Promise.all([context.settings.read(), loadCustomers(context, userIds)]);
  const prepared = requests.flatMap((request) => {
    const customer = customers.get(request.userId);
    const profile = profiles.get(request.userId);
    if (!customer || !profile) return [];
    const invoice = prepareInvoice(request, { settings, profile, customer });
    const event = request.payment ? 'invoice_paid' : 'invoice_issued';
    return [{ invoice, mails: invoice.totalMinor > 0 ? [mailEntry(request.id, event, request.at)] : [] }];
  });
  const ids = prepared.map(({ invoice }) => invoice.id);
  await context.invoices.insertAll(prepared);
  await context.numbers.assignAll('invoice', ids);
  return context.invoices.getMany(ids);
}

interface InvoiceFacts {
  readonly settings: BillingSettings;
  readonly profile: BillingProfile;
  readonly customer: Customer;
}

function prepareInvoice(request: NewInvoice, { settings, profile, customer }: InvoiceFacts): InvoiceRecord {
  const { id, userId, currency, at, dueAt, items, payment } = request;
  const rate = taxRateFor(profile.country, settings);
  const sum = (amount: (item: InvoiceItem) => number) => items.reduce((total, item) => total + amount(item), 0);
  const totalMinor = sum((item) => item.totalMinor);
  if (!Number.isSafeInteger(totalMinor)) throw new TypeError(`the total of invoice ${id} is no number`);
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
