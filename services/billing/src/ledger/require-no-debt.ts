import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { CreditStore } from '../models/account.js';

/** Before a purchase. Throws INVALID_FIELDS. */
export async function requireNoDebt({ credits }: { readonly credits: CreditStore }, userId: string): Promise<void> {
  const [debt] = await credits.debts(userId);
  if (!debt) return;
  const message = `are ${debt.amountMinor} in minor units of ${debt.currency} below zero: buy credits to pay that first`;
  throw invalidFields({ credits: [fieldProblem('insufficient', message)] });
}
