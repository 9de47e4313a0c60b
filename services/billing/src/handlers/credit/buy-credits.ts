import { type Handler, requireUser } from '@panel/rpc';
import type { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { buyCredits } from '../../usecases/credits/buy-credits.js';
import { readAmount } from '../read-request.js';

export function handleBuyCredits(context: BillingContext): Handler<CreditServiceService['buyCredits']> {
  return async ({ amount, paymentMethod, returnUrl }, { actor, idempotencyId }) => {
    const { userId } = requireUser(actor);
    const input = { userId, ...readAmount(amount), method: paymentMethod, returnUrl };
    const { invoice, paymentUrl } = await buyCredits(context, input, idempotencyId);
    return { invoice: presentInvoice(invoice), paymentUrl };
  };
}
