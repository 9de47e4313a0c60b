import type { Handler } from '@panel/rpc';
import { CreditEntry, type CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentEach, requireStaff, requireUser } from '@panel/rpc';
import { presentEntry } from '../../present/credit.js';
import { presentMoney } from '../../present/money.js';

const maxEntries = 50;

export function getCredits(context: BillingContext): Handler<CreditServiceService['getCredits']> {
  return async (request, call) => {
    const isOwn = request.userId === '' || (call.actor.kind === 'user' && call.actor.userId === request.userId);
    if (!isOwn) requireStaff(call);
    const userId = request.userId || requireUser(call.actor).userId;
    const { currency } = await context.settings.read();
    const balance = await context.credits.balance(userId, currency);
    const entries = await context.credits.list(userId, currency, maxEntries);
    return {
      balance: presentMoney(balance, currency),
      entries: presentEach({ ...call, isolatesItems: true }, entries, presentEntry, CreditEntry),
    };
  };
}
