import type { Handler } from '@panel/rpc';
import type { ObligationServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import type { Money } from '../../domain/payment.js';
import { presentMoney } from '../../present/money.js';
import { getObligations } from '../../usecases/obligations/get-obligations.js';

export function handleGetObligations(context: BillingContext): Handler<ObligationServiceService['getObligations']> {
  return async ({ userId }) => {
    const { credits, openInvoicesDue, debts, ...counts } = await getObligations(context, userId);
    const present = (all: readonly Money[]) =>
      all.map(({ amountMinor, currency }) => presentMoney(amountMinor, currency));
    return { ...counts, credits: present(credits), openInvoicesDue: present(openInvoicesDue), debts: present(debts) };
  };
}
