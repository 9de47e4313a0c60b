import { scaleHalfUp } from './money.js';
import type { UsageRates } from './product.js';
import { type TaxRate, withTax } from './tax.js';

/** What a metered server has used in an hour. */
export interface UsedInHour {
  readonly runningSeconds: number;
  /** Memory limit times running seconds. */
  readonly memoryMbSeconds: number;
  readonly diskMbSeconds: number;
  readonly trafficBytes: number;
}

/** What a month has cost so far. */
export interface UsageMonth {
  /** Millionths of a minor unit, without cap. */
  readonly costMicros: number;
  readonly netMinor: number;
  /** With tax. */
  readonly grossMinor: number;
}

export const microsPerMinor = 1_000_000;
export const noUsage: UsageMonth = { costMicros: 0, netMinor: 0, grossMinor: 0 };

const secondsPerHour = 3_600;
const mbPerGb = 1_024;
const bytesPerGb = 1_024 ** 3;
/** Ninety million of a currency with cents: far beyond what an hour can cost, and still a safe integer. */
const maxMicros = 9_000_000_000_000_000;

/** What the usage of an hour costs, in millionths of a minor unit. A GB has 1,024 MB. */
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

/**
 * The month with another hour: fractions of a minor unit are carried on, so that the month costs what its sum costs, whole
 * minor units are charged as they come, and no more than the cap of the month. It never becomes less.
 */
export function addUsage(month: UsageMonth, hourMicros: number, rates: UsageRates, rate: TaxRate): UsageMonth {
  const costMicros = Math.min(maxMicros, month.costMicros + hourMicros);
  const uncapped = Math.floor(costMicros / microsPerMinor);
  const netMinor = rates.monthlyCapMinor === 0 ? uncapped : Math.min(uncapped, rates.monthlyCapMinor);
  const grossMinor = withTax(netMinor, rate).totalMinor;
  return { costMicros, netMinor, grossMinor: Math.max(grossMinor, month.grossMinor) };
}
