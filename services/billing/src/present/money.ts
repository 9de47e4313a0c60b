import type { Money } from '@panel/protos/billing';

export function presentMoney(amountMinor: number, currency: string): Money {
  return { amountMinor, currency };
}
