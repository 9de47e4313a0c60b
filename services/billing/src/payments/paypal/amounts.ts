import { decimalOf } from '@panel/kit/text';
import { currencyDigits, parseDecimalAmount, scaleByPowerOfTen } from '../../domain/currency.js';
import type { Money } from '../../domain/payment.js';
import { assertMoney, notRepresentable } from '../provider-amount.js';
import { fail } from '../reasons.js';

/** Source: developer.paypal.com/api/rest/reference/currency-codes. None has three digits. */
const supported = new Set(
  'AUD BRL CAD CNY CZK DKK EUR HKD HUF ILS JPY MYR MXN TWD NZD NOK PHP PLN GBP SGD SEK CHF THB USD'.split(' '),
);

/** PayPal refuses decimals in these. HUF and TWD have two digits by ISO 4217. */
const withoutDecimals = new Set(['HUF', 'JPY', 'TWD']);

const digitsOf = (currency: string): number => (withoutDecimals.has(currency) ? 0 : 2);

export interface PayPalAmount {
  readonly currency_code: string;
  readonly value: string;
}

export function toPayPalAmount(amount: Money): PayPalAmount {
  assertMoney(amount);
  if (!supported.has(amount.currency)) {
    throw fail('CURRENCY_NOT_SUPPORTED', 'PayPal does not take this currency', { currency: amount.currency });
  }
  const digits = digitsOf(amount.currency);
  const scaled = scaleByPowerOfTen(amount.amountMinor, digits - currencyDigits(amount.currency));
  if (scaled === null) throw notRepresentable(amount, 'PayPal');
  return { currency_code: amount.currency, value: decimalOf(scaled, digits) };
}

/** Null: no amount of this currency. */
export function fromPayPalAmount(amount: PayPalAmount): Money | null {
  const amountMinor = parseDecimalAmount(amount.value, currencyDigits(amount.currency_code));
  return amountMinor === null ? null : { amountMinor, currency: amount.currency_code };
}
