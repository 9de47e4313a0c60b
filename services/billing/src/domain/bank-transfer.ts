import { decimalOf } from '@panel/kit/text';
import type { BankAccount } from './bank-account.js';
import { type Invoice, isPayable, paidMinor } from './invoice.js';
import type { Money } from './payment.js';

export interface BankTransfer {
  readonly account: BankAccount;
  /** What is still to be paid. */
  readonly amount: Money;
  readonly reference: string;
  readonly dueAt: Date;
  /** Text of an EPC QR code, which banking apps read; null: there is none for this currency or account. */
  readonly code: string | null;
}

/** Null: the invoice waits for no payment, or has no number yet. */
export function transferOf(invoice: Invoice, account: BankAccount): BankTransfer | null {
  if (!isPayable(invoice) || invoice.number === '') return null;
  const amount = { amountMinor: invoice.totalMinor - paidMinor(invoice), currency: invoice.currency };
  const { number: reference, dueAt } = invoice;
  return { account, amount, reference, dueAt, code: epcText(account, amount, reference) };
}

const maxCents = 99_999_999_999;

/**
 * EPC069-12, version 2, UTF-8. Null: another currency, no IBAN.
 */
export function epcText({ holder, iban, bic }: BankAccount, amount: Money, reference: string): string | null {
  const { amountMinor, currency } = amount;
  if (currency !== 'EUR' || iban === '' || amountMinor < 1 || amountMinor > maxCents) return null;
  const lines = [
    'BCD',
    '002',
    '1',
    'SCT',
    bic,
    holder.slice(0, 70),
    iban,
    `EUR${decimalOf(amountMinor, 2)}`,
    '',
    '',
    reference.slice(0, 140),
  ];
  return lines.join('\n');
}
