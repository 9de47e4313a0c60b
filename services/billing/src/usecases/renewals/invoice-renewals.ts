import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { endOfPeriod, type Period } from '../../domain/calendar.js';
import type { InvoiceItem } from '../../domain/invoice.js';
import type { BillingProfile } from '../../domain/profile.js';
import { renewalDiscount } from '../../domain/quote.js';
import type { BillingSettings } from '../../domain/settings.js';
import { taxRateFor, withTax } from '../../domain/tax.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { applyInvoiceEffects } from '../invoices/apply-effects.js';
import { type NewInvoice, newInvoices } from '../invoices/new-invoice.js';
import { payAutomatically } from './pay-automatically.js';

/** A subscription that was claimed for its next period. */
export interface RecurringSubscription {
  readonly subscription: SubscriptionRecord;
  readonly renewAt: Date;
  readonly nextDueAt: Date;
  readonly anchorAt: Date;
  readonly period: Period;
}

/** Payments that are made at the same time. */
const parallelPayments = 8;

/** Invoice the next period of each subscription, then mark the subscriptions, then pay what can be paid without the customers. */
export async function invoiceRenewals(context: BillingContext, due: readonly RecurringSubscription[]): Promise<void> {
  if (due.length === 0) return;
  const settings = await context.settings.read();
  const profiles = await context.profiles.getMany([...new Set(due.map(({ subscription }) => subscription.userId))]);
  const requests = due.map((one) =>
    renewalInvoice(one, settings, profiles.get(one.subscription.userId), context.clock()),
  );
  const invoices = await newInvoices(context, requests, profiles);
  context.failpoint('renew.invoiced');
  const invoiced = new Set(invoices.map(({ id }) => id));
  await context.subscriptions.changeMany(
    due.flatMap(({ subscription, renewAt, nextDueAt }, index) => {
      // Its customer is gone.
      if (!invoiced.has(requests[index]?.id ?? '')) return [];
      const change = { set: { renewAt: null, discount: discountAfter(subscription) } };
      return [{ id: subscription.id, condition: { renewAt, nextDueAt }, change }];
    }),
  );
  context.failpoint('renew.marked');
  await payAll(context, invoices);
}

function renewalInvoice(
  { subscription, nextDueAt, anchorAt, period }: RecurringSubscription,
  settings: BillingSettings,
  profile: BillingProfile | undefined,
  at: Date,
): NewInvoice {
  const periodEnd = endOfPeriod(anchorAt, period, subscription.periods + 1, settings.timezone);
  return {
    id: derivedId(subscription.id, `renewal ${nextDueAt.toISOString()} ${subscription.renewalSerial}`),
    userId: subscription.userId,
    currency: subscription.plan.currency,
    at,
    dueAt: nextDueAt,
    items: [itemOf(subscription, { start: nextDueAt, end: periodEnd }, taxRateFor(profile?.country ?? '', settings))],
  };
}

function itemOf(
  subscription: SubscriptionRecord,
  { start, end }: { readonly start: Date; readonly end: Date },
  rate: ReturnType<typeof taxRateFor>,
): InvoiceItem {
  const { priceMinor, name } = subscription.plan;
  const discountMinor = renewalDiscount(subscription.discount, priceMinor);
  return {
    purpose: 'renewal',
    description: `${subscription.productName} – ${name}`,
    subscriptionId: subscription.id,
    productId: subscription.productId,
    productName: subscription.productName,
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
function discountAfter({ discount }: SubscriptionRecord): SubscriptionRecord['discount'] {
  if (!discount || discount.remaining === null) return discount;
  return discount.remaining > 1 ? { ...discount, remaining: discount.remaining - 1 } : null;
}

async function payAll(context: BillingContext, invoices: readonly InvoiceRecord[]): Promise<void> {
  const waiting = (await selectPayable(context, invoices)).values();
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
async function selectPayable(context: BillingContext, invoices: readonly InvoiceRecord[]): Promise<InvoiceRecord[]> {
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
