import { derivedId } from '@panel/rpc';
import type { UsageCharge } from '../domain/usage-charge.js';
import type { MeteringDeps } from './dependencies.js';
import { accounts } from '../domain/journal.js';

const maxTries = 50;

/**
 * Pays as far as credits go, with `mayOwe` wholly. True: fully paid. The n-th ledger entry has a fixed id: a retry finds
 * it and books its amount.
 */
export async function payCharge(deps: MeteringDeps, charge: UsageCharge, mayOwe: boolean): Promise<boolean> {
  const { credits, usageCharges, clock, failpoint } = deps;
  const { userId, currency } = charge;
  let { openMinor, payments } = charge;
  for (let tries = 0; openMinor > 0 && tries < maxTries; tries++) {
    const id = derivedId(charge.id, `payment ${payments}`);
    const known = await credits.find(id, userId, currency);
    const balance = await credits.balance(userId, currency);
    const amountMinor = mayOwe ? openMinor : Math.min(openMinor, balance);
    if (!known && amountMinor <= 0) return false;
    const entry = { id, userId, currency, amountMinor: -amountMinor, reason: 'usage' as const, note: '' };
    const against = accounts.usage(charge.subscriptionId);
    const full = { ...entry, reference: charge.subscriptionId, against, createdAt: clock() };
    if (!known && (await credits.post(full, { mayOwe })) === 'insufficient') continue;
    failpoint('usage.debited');
    const posted = known ?? (await credits.find(id, userId, currency));
    const paidMinor = -(posted?.amountMinor ?? 0);
    await usageCharges.pay({ id: charge.id, payments }, paidMinor);
    openMinor -= paidMinor;
    payments += 1;
  }
  return openMinor <= 0;
}
