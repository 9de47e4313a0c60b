import { Money } from '@panel/protos/billing';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

export const money = resource(Money, '', {
  amount: is.int('amountMinor', 'in minor units'),
  currency: is.text('currency', 'ISO 4217'),
});

/** Bare minor units use the shop's currency. */
export const moneyBody = money.schema.or(z.int());

export function readMoney(given: z.output<typeof moneyBody>): Money {
  if (typeof given === 'number') return { amountMinor: given, currency: '' };
  return { amountMinor: given.amount, currency: given.currency };
}

const given = { ...money, readNew: readMoney };
export const amountField = <K extends string>(key: K) => is.part(key, given);
export const amountFieldOrNull = <K extends string>(key: K) => is.partOrNull(key, given);
