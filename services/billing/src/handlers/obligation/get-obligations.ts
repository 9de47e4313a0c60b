import type { Handler } from '@panel/rpc';
import type { ObligationServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { getObligations } from '../../usecases/obligations/get-obligations.js';

export function handleGetObligations(context: BillingContext): Handler<ObligationServiceService['getObligations']> {
  return async ({ userId }) => {
    const { credits, openInvoicesDue, ...counts } = await getObligations(context, userId);
    return {
      ...counts,
      credits: credits.map(({ amountMinor, currency }) => presentMoney(amountMinor, currency)),
      openInvoicesDue: openInvoicesDue.map(({ amountMinor, currency }) => presentMoney(amountMinor, currency)),
    };
  };
}
