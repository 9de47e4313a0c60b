import type { Money } from '@panel/protos/billing';
import { z } from 'zod';
import { required } from '../../declaration/present.js';

/** An amount as the API writes it. */
export const money = z.strictObject({
  amount: z.int().describe('in minor units'),
  currency: z.string().describe('ISO 4217'),
});

export function presentMoney(amount: Money | undefined): z.input<typeof money> {
  const { amountMinor, currency } = required(amount, 'amount');
  return { amount: amountMinor, currency };
}

/** An amount from the API: minor units alone are in the currency of the shop. */
export function readMoney(given: number | z.output<typeof money>): Money {
  if (typeof given === 'number') return { amountMinor: given, currency: '' };
  return { amountMinor: given.amount, currency: given.currency };
}
