import { derivedId } from '@panel/rpc';
import type { StatementPayment } from '../domain/bank-statement.js';

const space = '6f3c5b0e-7d1f-5c35-9a64-6e2b0d0c7a11';

/** Of the bank's own reference. */
export function idOfReference(account: string, reference: string): string {
  return derivedId(space, `${account} ${reference}`);
}

/** By what they say: their order distinguishes equal ones of a day. */
export function withIds(payments: readonly Omit<StatementPayment, 'id'>[]): StatementPayment[] {
  const seen = new Map<string, number>();
  return payments.map((payment) => {
    const { date, amount, payer, text } = payment;
    const key = JSON.stringify([date, amount.amountMinor, amount.currency, payer, text]);
    const serial = seen.get(key) ?? 0;
    seen.set(key, serial + 1);
    return { ...payment, id: derivedId(space, `${key} ${serial}`) };
  });
}
