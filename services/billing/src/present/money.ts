import { Money } from '@panel/protos/billing';

export function presentMoney(amountMinor: number, currency: string): Money {
  return Money.create({ amountMinor, currency });
}
