import { currencyDigits, scaleByPowerOfTen } from '../../domain/currency.js';
import type { Money } from '../../domain/payment.js';
import { assertMoney, notRepresentable } from '../provider-amount.js';

/** Stripe's units without two digits (docs.stripe.com/currencies). ISK and UGX have two there, not zero. */
const stripeDigits: ReadonlyMap<string, number> = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(
    (code) => [code, 0] as const,
  ),
  ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((code) => [code, 3] as const),
]);

function unitDifference(currency: string): number {
  return (stripeDigits.get(currency) ?? 2) - currencyDigits(currency);
}

/** Three-digit amounts must end in 0, by card network rules. */
export function toStripeAmount(amount: Money): { amount: number; currency: string } {
  assertMoney(amount);
  const scaled = scaleByPowerOfTen(amount.amountMinor, unitDifference(amount.currency));
  const isThreeDigit = stripeDigits.get(amount.currency) === 3;
  if (scaled === null || (isThreeDigit && scaled % 10 !== 0)) throw notRepresentable(amount, 'Stripe');
  return { amount: scaled, currency: amount.currency.toLowerCase() };
}

/** Null: a fraction of our minor unit. */
export function fromStripeAmount(amount: number, currency: string): Money | null {
  const code = currency.toUpperCase();
  const scaled = scaleByPowerOfTen(amount, -unitDifference(code));
  return scaled === null ? null : { amountMinor: scaled, currency: code };
}
