import { amount, date, part, type RecordOf } from '@panel/kit/records';
import { addDaysTo, endOfPeriod, isRecurring } from './calendar.js';
import type { Plan } from './product.js';

const priceChangeFields = {
  priceMinor: amount,
  /** Start of the first period that costs it. */
  from: date,
};
/** A higher price that its customer knows in advance. */
export type PriceChange = RecordOf<typeof priceChangeFields>;
export const priceChangePart = part(priceChangeFields);

interface Priced {
  readonly plan: Pick<Plan, 'priceMinor'>;
  readonly priceChange?: PriceChange | null;
}

interface Renewed {
  readonly plan: Pick<Plan, 'priceMinor' | 'interval' | 'intervalCount'>;
  readonly nextDueAt: Date | null;
  readonly anchorAt: Date | null;
  readonly periods: number;
}

export function priceAt({ plan, priceChange }: Priced, periodStart: Date): number {
  return priceChange && periodStart >= priceChange.from ? priceChange.priceMinor : plan.priceMinor;
}

/** From the first period that begins `noticeDays` from now or later. Null: at once, since it is not higher or nothing renews. */
export function noticedChange(
  { plan, nextDueAt, anchorAt, periods }: Renewed,
  priceMinor: number,
  { at, noticeDays, timezone }: { readonly at: Date; readonly noticeDays: number; readonly timezone: string },
): PriceChange | null {
  const { interval, intervalCount } = plan;
  if (priceMinor <= plan.priceMinor || !nextDueAt || !anchorAt || !isRecurring(interval)) return null;
  const earliest = addDaysTo(at, noticeDays);
  let from = nextDueAt;
  for (let count = periods + 1; from < earliest; count += 1) {
    from = endOfPeriod(anchorAt, { interval, intervalCount }, count, timezone);
  }
  return { priceMinor, from };
}
