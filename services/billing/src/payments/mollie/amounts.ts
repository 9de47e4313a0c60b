import { decimalOf } from '@panel/kit/text';
import { currencyDigits, parseDecimalAmount, scaleByPowerOfTen } from '../../domain/currency.js';
import type { Money } from '../../domain/payment.js';
import { assertMoney, notRepresentable } from '../provider-amount.js';
import { fail } from '../reasons.js';

/** Source: docs.mollie.com/docs/multicurrency. None has three digits. */
const supported = new Set(
  'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON SEK SGD THB TWD USD ZAR'.split(
    ' ',
  ),
);

/** At Mollie; others have two. */
const withoutDecimals = new Set(['ISK', 'JPY']);

export interface MollieAmount {
  readonly currency: string;
  readonly value: string;
}

/** Exactly as many decimals as Mollie wants. Throws CURRENCY_NOT_SUPPORTED, AMOUNT_NOT_REPRESENTABLE. */
export function toMollieAmount(amount: Money): MollieAmount {
  assertMoney(amount);
  const { currency } = amount;
  if (!supported.has(currency)) {
    throw fail('CURRENCY_NOT_SUPPORTED', 'Mollie does not take this currency', { currency });
  }
  const digits = withoutDecimals.has(currency) ? 0 : 2;
  const scaled = scaleByPowerOfTen(amount.amountMinor, digits - currencyDigits(currency));
  if (scaled === null) throw notRepresentable(amount, 'Mollie');
  return { currency, value: decimalOf(scaled, digits) };
}

/** Null: no amount of this currency. */
export function fromMollieAmount({ currency, value }: MollieAmount): Money | null {
  const amountMinor = parseDecimalAmount(value, currencyDigits(currency));
  return amountMinor === null ? null : { amountMinor, currency };
}
