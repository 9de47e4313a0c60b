import { isAppError } from '@panel/kit/errors';
import type { Money } from '../domain/payment.js';
import { fail } from './reasons.js';

/** For `canCharge`. */
export function isConvertible(amount: Money, convert: (amount: Money) => unknown): boolean {
  if (amount.amountMinor <= 0) return false;
  try {
    convert(amount);
    return true;
  } catch (error) {
    if (isAppError(error, 'CURRENCY_NOT_SUPPORTED', 'AMOUNT_NOT_REPRESENTABLE')) return false;
    throw error;
  }
}

export function notRepresentable(amount: Money, provider: string): Error {
  return fail('AMOUNT_NOT_REPRESENTABLE', `${provider} cannot take this amount`, { ...amount });
}

/** A positive safe integer with an ISO 4217 code; otherwise the caller has a defect. */
export function assertMoney(amount: Money): void {
  if (Number.isSafeInteger(amount.amountMinor) && amount.amountMinor > 0 && /^[A-Z]{3}$/.test(amount.currency)) return;
  throw new TypeError(`not an amount of money: ${amount.amountMinor} ${amount.currency}`);
}
