import type { Handler } from '@panel/rpc';
import type { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentEntry } from '../../present/credit.js';
import { presentMoney } from '../../present/money.js';
import { grantCredits as grant } from '../../usecases/credits/grant-credits.js';

export function grantCredits(context: BillingContext): Handler<CreditServiceService['grantCredits']> {
  return async ({ userId, amount, reason }, { idempotencyId }) => {
    const { amountMinor, currency } = amount ?? { amountMinor: 0, currency: '' };
    const granted = await grant(context, { userId, amountMinor, currency, reason }, idempotencyId);
    return { entry: presentEntry(granted.entry), balance: presentMoney(granted.balanceMinor, granted.currency) };
  };
}
