import { scaleHalfUp } from './money.js';
import type { BillingSettings } from './settings.js';

export interface TaxRate {
  /** Hundredths of a percent. */
  readonly basisPoints: number;
  /** Prices include tax. */
  readonly isInclusive: boolean;
}

interface TaxedAmount {
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
}

/** `country`: ISO 3166-1 alpha-2, or empty. */
export function taxRateFor(
  country: string,
  settings: Pick<BillingSettings, 'taxRateBasisPoints' | 'taxRatesByCountry' | 'taxInclusive'>,
): TaxRate {
  const own = Object.hasOwn(settings.taxRatesByCountry, country) ? settings.taxRatesByCountry[country] : undefined;
  return { basisPoints: own ?? settings.taxRateBasisPoints, isInclusive: settings.taxInclusive };
}

/** Per line, half up: added to or extracted from the price. */
export function withTax(amountMinor: number, { basisPoints, isInclusive }: TaxRate): TaxedAmount {
  if (isInclusive) {
    const taxMinor = scaleHalfUp(amountMinor, basisPoints, 10_000 + basisPoints);
    return { netMinor: amountMinor - taxMinor, taxMinor, totalMinor: amountMinor };
  }
  const taxMinor = scaleHalfUp(amountMinor, basisPoints, 10_000);
  return { netMinor: amountMinor, taxMinor, totalMinor: amountMinor + taxMinor };
}
