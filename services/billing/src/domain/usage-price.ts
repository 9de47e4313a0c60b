import { amount, count, type RecordOf } from '@panel/kit/records';
import { scaleHalfUp } from './money.js';
import type { UsageRates } from './product.js';
import { type TaxRate, withTax } from './tax.js';

export const usedFields = {
  runningSeconds: count,
  /** Memory limit times running seconds. */
  memoryMbSeconds: count,
  diskMbSeconds: count,
  trafficBytes: count,
};
export type UsedInHour = RecordOf<typeof usedFields>;

export const usageMonthFields = {
  /** In millionths, without cap. */
  costMicros: count,
  netMinor: amount,
  /** With tax. */
  grossMinor: amount,
};
export type UsageMonth = RecordOf<typeof usageMonthFields>;

export const microsPerMinor = 1_000_000;
export const noUsage: UsageMonth = { costMicros: 0, netMinor: 0, grossMinor: 0 };

const secondsPerHour = 3_600;
const mbPerGb = 1_024;
const bytesPerGb = 1_024 ** 3;
/** Far above an hour's cost, below 2^53. */
const maxMicros = 9_000_000_000_000_000;

/** In millionths of a minor unit. A GB has 1,024 MB. */
export function costOfHour(used: UsedInHour, rates: UsageRates): number {
  const parts = [
    scaleHalfUp(rates.runningHourMicros, used.runningSeconds, secondsPerHour),
    scaleHalfUp(rates.memoryGbHourMicros, used.memoryMbSeconds, mbPerGb * secondsPerHour),
    scaleHalfUp(rates.diskGbHourMicros, used.diskMbSeconds, mbPerGb * secondsPerHour),
    scaleHalfUp(rates.trafficGbMicros, used.trafficBytes, bytesPerGb),
  ];
  return Math.min(
    maxMicros,
    parts.reduce((sum, part) => sum + Math.min(part, maxMicros), 0),
  );
}

/** Carries fractions, charges whole units up to the monthly cap. The total never falls. */
export function addUsage(month: UsageMonth, hourMicros: number, rates: UsageRates, rate: TaxRate): UsageMonth {
  const costMicros = Math.min(maxMicros, month.costMicros + hourMicros);
  const uncapped = Math.floor(costMicros / microsPerMinor);
  const netMinor = rates.monthlyCapMinor === 0 ? uncapped : Math.min(uncapped, rates.monthlyCapMinor);
  const grossMinor = withTax(netMinor, rate).totalMinor;
  return { costMicros, netMinor, grossMinor: Math.max(grossMinor, month.grossMinor) };
}
