import type { Handler } from '@panel/rpc';
import type { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requirePermission, requireUser } from '@panel/rpc';
import { presentEntry } from '../../present/credit.js';
import { presentMoney } from '../../present/money.js';

const maxEntries = 50;

export function getCredits(context: BillingContext): Handler<CreditServiceService['getCredits']> {
  return async (request, { actor }) => {
    const isOwn = request.userId === '' || (actor.kind === 'user' && actor.userId === request.userId);
    if (!isOwn) requirePermission(actor, 'billing.view');
    const userId = request.userId || requireUser(actor).userId;
    const { currency } = await context.settings.read();
    const balance = await context.credits.balance(userId, currency);
    const entries = await context.credits.list(userId, currency, maxEntries);
    return { balance: presentMoney(balance, currency), entries: entries.map(presentEntry) };
  };
}
