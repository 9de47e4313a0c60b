import { derivedId } from '@panel/rpc';
import { addDaysTo, endOfPeriod, isRecurring, type Period } from './calendar.js';
import type { InvoiceItem } from './invoice.js';
import { priceAt } from './price-change.js';
import type { NewInvoice } from './prepare-invoice.js';
import type { TaxedCustomer } from './profile.js';
import { renewalDiscount } from './quote.js';
import type { BillingSettings } from './settings.js';
import type { SubscriptionRecord } from './subscription.js';
import { type TaxRate, taxFor, withTax } from './tax.js';

export interface RecurringSubscription {
  readonly subscription: SubscriptionRecord;
  readonly renewAt: Date;
  readonly nextDueAt: Date;
  readonly anchorAt: Date;
  readonly period: Period;
}

/** `invoiceDaysBefore` days before `end`, at the earliest halfway through the period. */
export function renewalTime(start: Date, end: Date, invoiceDaysBefore: number): Date {
  const half = new Date((start.getTime() + end.getTime()) / 2);
  const before = addDaysTo(end, -invoiceDaysBefore);
  return before > half ? before : half;
}

/** Null: no further period. */
export function nextPeriodOf(subscription: SubscriptionRecord): RecurringSubscription | null {
  const { nextDueAt, anchorAt, renewAt, plan, cancelAtPeriodEnd } = subscription;
  const { interval, intervalCount } = plan;
  if (cancelAtPeriodEnd || !renewAt || !nextDueAt || !anchorAt || !isRecurring(interval)) return null;
  return { subscription, renewAt, nextDueAt, anchorAt, period: { interval, intervalCount } };
}

export function renewalInvoice(
  { subscription, nextDueAt, anchorAt, period }: RecurringSubscription,
  settings: BillingSettings,
  customer: TaxedCustomer | undefined,
  at: Date,
): NewInvoice {
  const periodEnd = endOfPeriod(anchorAt, period, subscription.periods + 1, settings.timezone);
  const tax = taxFor(customer ?? { country: '', vatNumber: '' }, settings, nextDueAt);
  return {
    id: derivedId(subscription.id, `renewal ${nextDueAt.toISOString()} ${subscription.renewalSerial}`),
    userId: subscription.userId,
    currency: subscription.plan.currency,
    at,
    dueAt: nextDueAt,
    tax,
    items: [itemOf(subscription, { start: nextDueAt, end: periodEnd }, tax)],
  };
}

function itemOf(
  subscription: SubscriptionRecord,
  { start, end }: { readonly start: Date; readonly end: Date },
  rate: TaxRate,
): InvoiceItem {
  const { name } = subscription.plan;
  const priceMinor = priceAt(subscription, start);
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

export function discountAfter({ discount }: SubscriptionRecord): SubscriptionRecord['discount'] {
  if (!discount || discount.remaining === null) return discount;
  return { ...discount, remaining: Math.max(0, discount.remaining - 1) };
}
