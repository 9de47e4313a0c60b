import { randomUUID } from 'node:crypto';
import { addProblem, type FieldMessages, fieldProblem, invalidFields, requireValid } from '@panel/kit/errors';
import { isPlainText } from '@panel/kit/text';
import type { BillingContext } from '../../context.js';
import type { CreditEntry } from '../../domain/credit.js';
import { maxTotalMinor } from '../../domain/money.js';
import { wakeSubscriptions } from '../../invoicing/apply-effects.js';
import { loadCustomers } from '../../customers/load-customers.js';
import { accounts } from '../../domain/journal.js';

interface GrantInput {
  readonly userId: string;
  readonly amountMinor: number;
  /** Empty: the shop's currency. */
  readonly currency: string;
  readonly reason: string;
}

/** A negative amount takes credits. Idempotent by id. Throws INVALID_FIELDS. */
export async function grantCredits(
  context: BillingContext,
  { userId, amountMinor, currency, reason }: GrantInput,
  idempotencyId: string = randomUUID(),
): Promise<{ readonly entry: CreditEntry; readonly balanceMinor: number; readonly currency: string }> {
  const shop = (await context.settings.read()).currency;
  const problems: FieldMessages = {};
  if (currency !== '' && currency !== shop) {
    addProblem(problems, 'amount', fieldProblem('not_allowed', `must be in ${shop}`));
  }
  if (!Number.isSafeInteger(amountMinor) || amountMinor === 0 || Math.abs(amountMinor) > maxTotalMinor) {
    const message = `must be a whole number of minor units, not 0, at most ${maxTotalMinor}`;
    addProblem(problems, 'amount', fieldProblem('out_of_range', message));
  }
  if (reason.trim() === '' || reason.length > 500 || !isPlainText(reason)) {
    problems.reason = ['must be text of 1 to 500 characters'];
  }
  if (!(await loadCustomers(context, [userId])).has(userId)) {
    problems.user_id = [fieldProblem('not_found', 'is no user')];
  }
  requireValid(problems);
  const entry: CreditEntry = {
    id: idempotencyId,
    userId,
    currency: shop,
    amountMinor,
    reason: 'grant',
    note: reason.trim(),
    reference: '',
    against: amountMinor > 0 ? accounts.promotion : accounts.writtenOff,
    createdAt: context.clock(),
  };
  const result = await context.credits.post(entry);
  if (result === 'insufficient')
    throw invalidFields({ amount: [fieldProblem('insufficient', 'is more than the balance')] });
  await wakeSubscriptions(context, userId);
  const posted = await context.credits.find(idempotencyId, userId, shop);
  return { entry: posted ?? entry, balanceMinor: await context.credits.balance(userId, shop), currency: shop };
}
