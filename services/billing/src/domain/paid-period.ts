import { amount, count, date, flag, id, type RecordOf } from '@panel/kit/records';
import { endOfPeriod, type Period } from './calendar.js';
import type { Invoice } from './invoice.js';
import { allocate, scaleDown, scaleHalfUp, shareOfUnit } from './money.js';

export const paidPeriodFields = {
  invoiceId: id,
  /** Index of the invoice's item. */
  line: count,
  /** Of the time from `start` to `end`: without setup fees, and without what was credited. */
  netMinor: amount,
  /** With tax. */
  totalMinor: amount,
  start: date,
  end: date,
  /** Bought with a coupon. */
  isDiscounted: flag,
  /** Of the whole invoice, until `start`: what is refunded later takes its share. */
  refundedMinor: amount,
};
/** What was paid for time of a service. */
export type PaidPeriod = RecordOf<typeof paidPeriodFields>;

/** The remaining part of a payment, in prices of its invoice (with tax where prices include it) and in all. */
export interface UnusedPart {
  readonly period: PaidPeriod;
  readonly netMinor: number;
  readonly priceMinor: number;
  readonly totalMinor: number;
  /** See `PaidPeriod`; of now. */
  readonly refundedMinor: number;
}

interface Span {
  readonly start: Date;
  readonly end: Date;
}

/** Of an invoice's item; `unit` is one of its quantity. */
export function paidPeriodOf(
  invoice: Pick<Invoice, 'id' | 'items' | 'refunds'>,
  line: number,
  span: Span,
  unit = 0,
): PaidPeriod {
  const item = invoice.items[line];
  if (!item) throw new RangeError('an invoice has no such line');
  const { quantity, unitPriceMinor, setupFeeMinor, discountMinor } = item;
  const ofUnit = (minor: number) => {
    const [ofPrice = 0] = allocate(minor, [unitPriceMinor, setupFeeMinor]);
    return shareOfUnit(ofPrice, quantity, unit);
  };
  return {
    invoiceId: invoice.id,
    line,
    netMinor: ofUnit(item.netMinor),
    totalMinor: ofUnit(item.totalMinor),
    ...span,
    isDiscounted: discountMinor > 0,
    refundedMinor: generalRefunds(invoice),
  };
}

export function currentPeriods({ paid = [] }: { readonly paid?: readonly PaidPeriod[] }, at: Date): PaidPeriod[] {
  return paid.filter(({ end }) => end > at);
}

/** Refunds of an invoice as a whole; those of one line are credited changes of plan, which periods already lack. */
function generalRefunds({ refunds }: Pick<Invoice, 'refunds'>): number {
  return refunds
    .filter(({ line, state }) => line === undefined && state !== 'failed')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** At `at`; never more than what was paid and not refunded. Nothing of a disputed payment. */
export function unusedPart(period: PaidPeriod, invoice: Invoice | undefined, at: Date): UnusedPart {
  const isDisputed = invoice?.disputes.some(({ outcome }) => outcome !== 'won') ?? false;
  return undisputedPart(period, isDisputed ? undefined : invoice, at);
}

/** As `unusedPart`, of a disputed payment too. */
export function undisputedPart(period: PaidPeriod, invoice: Invoice | undefined, at: Date): UnusedPart {
  const refundedMinor = invoice ? generalRefunds(invoice) : 0;
  const none = { period, netMinor: 0, priceMinor: 0, totalMinor: 0, refundedMinor };
  if (invoice?.status !== 'paid') return none;
  const whole = period.end.getTime() - period.start.getTime();
  const rest = Math.min(whole, Math.max(0, period.end.getTime() - at.getTime()));
  const [before, now] = [invoice.totalMinor - period.refundedMinor, invoice.totalMinor - refundedMinor];
  if (whole <= 0 || before <= 0) return none;
  const left = (minor: number) => scaleDown(scaleDown(minor, rest, whole), Math.max(0, Math.min(before, now)), before);
  const totalMinor = Math.min(left(period.totalMinor), invoice.totalMinor - invoice.refundedMinor);
  const netMinor = Math.min(left(period.netMinor), totalMinor);
  return { period, netMinor, priceMinor: invoice.taxInclusive ? totalMinor : netMinor, totalMinor, refundedMinor };
}

/** A part as a period of its own. */
export function restOf(
  { period, refundedMinor }: UnusedPart,
  { start, end }: Span,
  { netMinor, totalMinor }: Pick<PaidPeriod, 'netMinor' | 'totalMinor'>,
): PaidPeriod {
  return { ...period, start, end, netMinor, totalMinor, refundedMinor };
}

/**
 * Takes a price out of parts, the last ones first. Returns it with tax, by part, and the remaining periods.
 */
export function takeFrom(
  parts: readonly UnusedPart[],
  priceMinor: number,
  at: Date,
): {
  readonly taken: readonly { readonly part: UnusedPart; readonly totalMinor: number }[];
  readonly left: PaidPeriod[];
} {
  let open = priceMinor;
  const taken: { part: UnusedPart; totalMinor: number }[] = [];
  const left: PaidPeriod[] = [];
  for (const part of parts.toReversed()) {
    const own = Math.min(open, part.priceMinor);
    open -= own;
    const share = (minor: number) => (part.priceMinor === 0 ? 0 : scaleHalfUp(minor, own, part.priceMinor));
    const totalMinor = share(part.totalMinor);
    if (totalMinor > 0) taken.push({ part, totalMinor });
    const { start, end } = part.period;
    const span = { start: start > at ? start : at, end };
    const rest = { netMinor: part.netMinor - share(part.netMinor), totalMinor: part.totalMinor - totalMinor };
    left.unshift(restOf(part, span, rest));
  }
  return { taken, left };
}

/** Price of the paid time that is left, by periods that end at `nextDueAt`, the last one. */
export function priceOfRest(
  priceMinor: number,
  {
    anchorAt,
    periods,
    at,
    timezone,
    ...period
  }: Period & { readonly anchorAt: Date; readonly periods: number; readonly at: Date; readonly timezone: string },
): number {
  let sum = 0;
  for (let count = periods; ; count -= 1) {
    const end = endOfPeriod(anchorAt, period, count, timezone);
    if (end <= at) return sum;
    const start = endOfPeriod(anchorAt, period, count - 1, timezone);
    const rest = end.getTime() - Math.max(start.getTime(), at.getTime());
    sum += scaleDown(priceMinor, rest, end.getTime() - start.getTime());
  }
}
