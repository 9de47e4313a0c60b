import { enumOf } from '@panel/kit/records';
import { type StatementEntry, StatementEntry_Result } from '@panel/protos/billing';
import type { StatementOutcome } from '../usecases/invoices/import-bank-statement.js';
import { presentMoney } from './money.js';

export function presentStatement({ payment, result, invoiceIds }: StatementOutcome): StatementEntry {
  const { date, amount, payer, text } = payment;
  return {
    date,
    amount: presentMoney(amount.amountMinor, amount.currency),
    payer,
    text,
    result: enumOf(StatementEntry_Result, result),
    invoiceIds: [...invoiceIds],
  };
}
