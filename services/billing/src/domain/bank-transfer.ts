import { decimalAmount } from './currency.js';
import type { Money } from './payment.js';

export interface BankAccount {
  readonly holder: string;
  /** Without spaces; empty for accounts without one. */
  readonly iban: string;
  readonly bic: string;
  /** What else a transfer needs. */
  readonly instructions: string;
}

/** Null: nothing to transfer to. */
export function bankAccount(account: BankAccount): BankAccount | null {
  return account.iban === '' && account.instructions === '' ? null : account;
}

const maxCents = 99_999_999_999;

/**
 * Text of an EPC QR code (EPC069-12, version 2, UTF-8), which banking apps read; null where there is none: other currencies,
 * no IBAN.
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
    `EUR${decimalAmount(amountMinor, 2)}`,
    '',
    '',
    reference.slice(0, 140),
  ];
  return lines.join('\n');
}
