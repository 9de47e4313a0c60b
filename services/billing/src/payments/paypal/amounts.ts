import { currencyDigits, decimalAmount, parseDecimalAmount, scaleByPowerOfTen } from '../../domain/currency.js';
import type { Money } from '../../domain/money.js';
import { amountRefused, assertMoney } from '../provider-amount.js';

/** What PayPal takes (developer.paypal.com/api/rest/reference/currency-codes). None of them has three digits. */
const supported = new Set(
  'AUD BRL CAD CNY CZK DKK EUR HKD HUF ILS JPY MYR MXN TWD NZD NOK PHP PLN GBP SGD SEK CHF THB USD'.split(' '),
);

/** HUF and TWD have two digits by ISO 4217; PayPal refuses a point in them, as in JPY. */
const withoutDecimals = new Set(['HUF', 'JPY', 'TWD']);

const digitsOf = (currency: string): number => (withoutDecimals.has(currency) ? 0 : 2);

export interface PayPalAmount {
  readonly currency_code: string;
  readonly value: string;
}

export function toPayPalAmount(money: Money): PayPalAmount {
  assertMoney(money);
  if (!supported.has(money.currency)) throw amountRefused(money, 'paypal', 'currency');
  const digits = digitsOf(money.currency);
  const scaled = scaleByPowerOfTen(money.amount, digits - currencyDigits(money.currency));
  if (scaled === null) throw amountRefused(money, 'paypal', 'amount_not_representable');
  return { currency_code: money.currency, value: decimalAmount(scaled, digits) };
}

/** Null: not an amount of this currency. */
export function fromPayPalAmount(amount: PayPalAmount): Money | null {
  const minor = parseDecimalAmount(amount.value, currencyDigits(amount.currency_code));
  return minor === null ? null : { amount: minor, currency: amount.currency_code };
}
