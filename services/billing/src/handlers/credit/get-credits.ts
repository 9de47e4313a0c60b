import { type Handler, presentEach } from '@panel/rpc';
import { CreditEntry, type CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentEntry } from '../../present/credit.js';
import { presentMoney } from '../../present/money.js';
import { getCredits } from '../../usecases/credits/get-credits.js';

export function handleGetCredits(context: BillingContext): Handler<CreditServiceService['getCredits']> {
  return async ({ userId }, call) => {
    const { balanceMinor, promotionalMinor, currency, entries } = await getCredits(context, userId, call);
    return {
      balance: presentMoney(balanceMinor, currency),
      promotional: presentMoney(promotionalMinor, currency),
      entries: presentEach({ ...call, isolatesItems: true }, entries, presentEntry, CreditEntry),
    };
  };
}
