import type { Handler } from '@panel/rpc';
import type { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { presentInvoice } from '../../present/invoice.js';
import { buyCredits as buy } from '../../usecases/credits/buy-credits.js';

export function buyCredits(context: BillingContext): Handler<CreditServiceService['buyCredits']> {
  return async ({ amount, paymentMethod, returnUrl }, { actor, idempotencyId }) => {
    const { userId } = requireUser(actor);
    const { amountMinor, currency } = amount ?? { amountMinor: 0, currency: '' };
    const input = { userId, amountMinor, currency, method: paymentMethod, returnUrl };
    const { invoice, paymentUrl } = await buy(context, input, idempotencyId);
    return { invoice: presentInvoice(invoice), paymentUrl };
  };
}
