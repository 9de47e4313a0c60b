import { count, date, orNull, part, type RecordOf, text } from '@panel/kit/records';
import { endOfPeriod } from './calendar.js';
import { creditedLines } from './credit-note.js';
import type { InvoiceItem, InvoiceRecord } from './invoice.js';
import { allocate } from './money.js';

const segmentFields = {
  productId: text,
  productName: text,
  /** Nothing is earned before: the payment, or a correction. */
  from: date,
  /** Nothing more is earned from here, where a correction has replaced the rest; null: to the end. */
  until: orNull(date),
  /** Of the time that is sold; no length: earned at once. */
  start: date,
  end: date,
  /** Without tax. Negative: a correction of what was earned. */
  amountMinor: count,
};
/** Revenue that is earned evenly over its time. */
export type RevenueSegment = RecordOf<typeof segmentFields>;
export const revenueSegment = part(segmentFields);

/**
 * Of a paid invoice, whose refunds are taken from what is still to be earned, then from what was. Later refunds do not
 * change what was earned before them. Bought credits are no revenue.
 */
export function revenueSegments(invoice: InvoiceRecord): RevenueSegment[] {
  if (invoice.kind === 'credit_note' || invoice.paidAt === null) return [];
  const { paidAt } = invoice;
  const lines = invoice.items.map((item) => segmentsOfItem(item, paidAt, invoice.timezone ?? 'UTC'));
  for (const refund of invoice.refunds) {
    if (refund.state !== 'done') continue;
    for (const { line, netMinor } of creditedLines(invoice, refund)) correct(lines[line] ?? [], netMinor, refund.at);
  }
  return lines.flat();
}

/** At `at`; from `end` on the whole amount. Never less than at a moment before. */
export function earnedMinor({ from, until, start, end, amountMinor }: RevenueSegment, at: Date): number {
  if (at < from) return 0;
  const wholeMs = end.getTime() - start.getTime();
  if (wholeMs <= 0) return amountMinor;
  const to = until && until < at ? until : at;
  const passedMs = Math.min(wholeMs, Math.max(0, to.getTime() - start.getTime()));
  return Math.floor(amountMinor * (passedMs / wholeMs));
}

/** Paid, and not earned yet at `at`. */
export function deferredMinor(segment: RevenueSegment, at: Date): number {
  const isReplaced = segment.until !== null && segment.until <= at;
  return at < segment.from || isReplaced ? 0 : segment.amountMinor - earnedMinor(segment, at);
}

/** Setup fees and what is sold once are earned at once; usage in its month. */
function segmentsOfItem(item: InvoiceItem, paidAt: Date, timezone: string): RevenueSegment[] {
  const { productId, productName, purpose, netMinor, unitPriceMinor, setupFeeMinor } = item;
  if (productId === '' || purpose === 'credits') return [];
  const [ofTime = 0, ofSetup = 0] =
    setupFeeMinor === 0 ? [netMinor] : allocate(netMinor, [unitPriceMinor, setupFeeMinor]);
  const [start, end] = spanOf(item, paidAt, timezone);
  const from = purpose === 'usage' ? start : paidAt;
  const segment = { productId, productName, from, until: null };
  const all = [
    { ...segment, start, end, amountMinor: ofTime },
    { ...segment, start: paidAt, end: paidAt, amountMinor: ofSetup },
  ];
  return all.filter(({ amountMinor }) => amountMinor !== 0);
}

function spanOf({ periodStart, periodEnd, term }: InvoiceItem, paidAt: Date, timezone: string): [Date, Date] {
  if (periodStart && periodEnd) return [periodStart, periodEnd];
  if (!term) return [paidAt, paidAt];
  const { interval, count: intervalCount } = term;
  return [paidAt, endOfPeriod(paidAt, { interval, intervalCount }, 1, timezone)];
}

/** Takes from the rests of the segments at `at`, then from what was earned. */
function correct(segments: RevenueSegment[], netMinor: number, at: Date): void {
  let open = netMinor;
  for (const [index, segment] of [...segments].entries()) {
    const deferred = deferredMinor(segment, at);
    const taken = Math.min(open, deferred);
    if (taken <= 0) continue;
    open -= taken;
    segments[index] = { ...segment, until: at };
    const start = segment.start > at ? segment.start : at;
    if (taken < deferred) segments.push({ ...segment, from: at, start, amountMinor: deferred - taken });
  }
  const [first] = segments;
  if (open > 0 && first) segments.push({ ...first, from: at, until: null, start: at, end: at, amountMinor: -open });
}
