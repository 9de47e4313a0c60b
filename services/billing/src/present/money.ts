import type { Money } from '@panel/protos/billing';
import { currencyDigits } from '../domain/currency.js';

export function presentMoney(amountMinor: number, currency: string): Money {
  const digits = currencyDigits(currency);
  return digits === 2 ? { amountMinor, currency } : { amountMinor, currency, digits };
}
