import type { Money } from '../domain/money.js';
import { fail } from './reasons.js';

/** The provider has no such amount: a unit too small, or a currency it does not take. */
export function amountRefused(amount: Money, gateway: string, issue: 'amount_not_representable' | 'currency'): Error {
  return fail('PAYMENT_REFUSED', 'the payment provider cannot take this amount', { gateway, issue, ...amount });
}

/** A positive safe integer with an ISO 4217 code. Everything else is a defect of the caller. */
export function assertMoney({ amount, currency }: Money): void {
  if (Number.isSafeInteger(amount) && amount > 0 && /^[A-Z]{3}$/.test(currency)) return;
  throw new TypeError(`not an amount of money: ${amount} ${currency}`);
}
