import type { Handler } from '@panel/rpc';
import type { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentEntry } from '../../present/credit.js';
import { presentMoney } from '../../present/money.js';
import { grantCredits } from '../../usecases/credits/grant-credits.js';
import { readAmount } from '../read-request.js';

export function handleGrantCredits(context: BillingContext): Handler<CreditServiceService['grantCredits']> {
  return async ({ userId, amount, reason }, { idempotencyId }) => {
    const granted = await grantCredits(context, { userId, ...readAmount(amount), reason }, idempotencyId);
    return { entry: presentEntry(granted.entry), balance: presentMoney(granted.balanceMinor, granted.currency) };
  };
}
