import { type Caller, requireStaff, requireUser } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { CreditEntry } from '../../domain/credit.js';

const maxEntries = 50;

export interface Credits {
  readonly balanceMinor: number;
  /** Of the balance. */
  readonly promotionalMinor: number;
  readonly currency: string;
  /** Newest first. */
  readonly entries: readonly CreditEntry[];
}

/** Own credits; for staff those of `userId`. */
export async function getCredits(context: BillingContext, userId: string, caller: Caller): Promise<Credits> {
  const isOwn = userId === '' || (caller.actor.kind === 'user' && caller.actor.userId === userId);
  if (!isOwn) requireStaff(caller);
  const ownerId = userId || requireUser(caller.actor).userId;
  const { currency } = await context.settings.read();
  const [holdings, entries] = await Promise.all([
    context.credits.holdings(ownerId, currency),
    context.credits.list(ownerId, currency, maxEntries),
  ]);
  return { ...holdings, currency, entries };
}
