import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { endOfPeriod, type Period } from '../../domain/calendar.js';
import type { InvoiceItem } from '../../domain/invoice.js';
import type { BillingProfile } from '../../domain/profile.js';
import { renewalDiscount } from '../../domain/quote.js';
import type { BillingSettings } from '../../domain/settings.js';
import { taxRateFor, withTax } from '../../domain/tax.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import type { ServiceRecord } from '../../models/service.js';
import { applyInvoiceEffects } from '../invoices/apply-effects.js';
import { type NewInvoice, newInvoices } from '../invoices/new-invoice.js';
import { payAutomatically } from './pay-automatically.js';

/** A service that was claimed for its next period. */
export interface RecurringService {
  readonly service: ServiceRecord;
  readonly renewAt: Date;
  readonly nextDueAt: Date;
  readonly anchorAt: Date;
  readonly period: Period;
}

/** Payments that are made at the same time. */
const parallelPayments = 8;

/** Invoice the next period of each service, then mark the services, then pay what can be paid without the customers. */
export async function invoiceRenewals(context: BillingContext, due: readonly RecurringService[]): Promise<void> {
  if (due.length === 0) return;
  const settings = await context.settings.read();
  const profiles = await context.profiles.getMany([...new Set(due.map(({ service }) => service.userId))]);
  const requests = due.map((one) => renewalInvoice(one, settings, profiles.get(one.service.userId), context.clock()));
  const invoices = await newInvoices(context, requests, profiles);
  context.failpoint('renew.invoiced');
  const invoiced = new Set(invoices.map(({ id }) => id));
  await context.services.changeMany(
    due.flatMap(({ service, renewAt, nextDueAt }, index) => {
      // Its customer is gone.
      if (!invoiced.has(requests[index]?.id ?? '')) return [];
      const change = { set: { renewAt: null, discount: discountAfter(service) } };
      return [{ id: service.id, condition: { renewAt, nextDueAt }, change }];
    }),
  );
  context.failpoint('renew.marked');
  await payAll(context, invoices);
}

function renewalInvoice(
  { service, nextDueAt, anchorAt, period }: RecurringService,
  settings: BillingSettings,
  profile: BillingProfile | undefined,
  at: Date,
): NewInvoice {
  const periodEnd = endOfPeriod(anchorAt, period, service.periods + 1, settings.timezone);
  return {
    id: derivedId(service.id, `renewal ${nextDueAt.toISOString()} ${service.renewalSerial}`),
    userId: service.userId,
    currency: service.plan.currency,
    at,
    dueAt: nextDueAt,
    items: [itemOf(service, { start: nextDueAt, end: periodEnd }, taxRateFor(profile?.country ?? '', settings))],
  };
}

function itemOf(
  service: ServiceRecord,
  { start, end }: { readonly start: Date; readonly end: Date },
  rate: ReturnType<typeof taxRateFor>,
): InvoiceItem {
  const { priceMinor, name } = service.plan;
  const discountMinor = renewalDiscount(service.discount, priceMinor);
  return {
    purpose: 'renewal',
    description: `${service.productName} – ${name}`,
    serviceId: service.id,
    productId: service.productId,
    productName: service.productName,
    quantity: 1,
    unitPriceMinor: priceMinor,
    setupFeeMinor: 0,
    discountMinor,
    ...withTax(priceMinor - discountMinor, rate),
    periodStart: start,
    periodEnd: end,
  };
}

/** What of a coupon is left for the periods after this one. */
function discountAfter({ discount }: ServiceRecord): ServiceRecord['discount'] {
  if (!discount || discount.remaining === null) return discount;
  return discount.remaining > 1 ? { ...discount, remaining: discount.remaining - 1 } : null;
}

async function payAll(context: BillingContext, invoices: readonly InvoiceRecord[]): Promise<void> {
  const waiting = (await withMeans(context, invoices)).values();
  await Promise.all(
    Array.from({ length: parallelPayments }, async () => {
      for (const invoice of waiting) await pay(context, invoice);
    }),
  );
}

async function pay(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  try {
    if (invoice.status === 'paid') await applyInvoiceEffects(context, invoice.id);
    else await payAutomatically(context, invoice);
  } catch (error) {
    // The steps of an unpaid invoice try it again.
    context.log.error({ err: error, invoiceId: invoice.id }, 'a renewal could not be paid');
  }
}

/** Those that are paid, or whose customers have enough credits or a stored method: the others need not be tried one by one. */
async function withMeans(context: BillingContext, invoices: readonly InvoiceRecord[]): Promise<InvoiceRecord[]> {
  const userIds = [...new Set(invoices.map(({ userId }) => userId))];
  const owners = await context.storedMethods.owners(userIds);
  const left = new Map<string, number>();
  for (const currency of new Set(invoices.map((invoice) => invoice.currency))) {
    const balances = await context.credits.balances(userIds, currency);
    for (const [userId, balance] of balances) left.set(`${userId} ${currency}`, balance);
  }
  return invoices.filter(({ status, userId, currency, totalMinor }) => {
    if (status === 'paid') return true;
    if (status !== 'unpaid' && status !== 'overdue') return false;
    const balance = left.get(`${userId} ${currency}`) ?? 0;
    if (balance < totalMinor) return owners.has(userId);
    left.set(`${userId} ${currency}`, balance - totalMinor);
    return true;
  });
}
