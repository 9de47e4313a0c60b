import {
  addProblem,
  assertNever,
  type FieldMessages,
  fieldProblem,
  invalidFields,
  requireValid,
} from '@panel/kit/errors';
import { renewalTime } from '../../domain/renewal.js';
import { isEnded, type SubscriptionRecord } from '../../domain/subscription.js';
import type { BillingContext } from '../../context.js';
import { type PaidPeriod, restOf } from '../../domain/paid-period.js';
import { mailEntry } from '../../domain/mail.js';
import { maxPriceMinor } from '../../domain/money.js';
import { noticedChange } from '../../domain/price-change.js';
import { voidInvoice } from '../../invoicing/void-invoice.js';
import { fail } from '../../reasons.js';
import { unusedParts } from '../../subscriptions/unused-parts.js';
import { endSubscription } from '../../subscriptions/end-subscription.js';
import { suspendSubscription, unsuspendSubscription } from '../../subscriptions/suspend-subscription.js';

export interface SubscriptionUpdate {
  readonly price: { readonly amountMinor: number; readonly currency: string } | null;
  readonly nextDueAt: Date | null;
  readonly action: 'suspend' | 'unsuspend' | 'terminate' | null;
  /** With `suspend` only: it is renewed all the same. */
  readonly keepsInvoicing?: boolean;
}

/** Throws SERVICE_ENDED, SERVICE_NOT_ACTIVE, INVALID_FIELDS. */
export async function updateSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
  { price, nextDueAt, action, keepsInvoicing = false }: SubscriptionUpdate,
): Promise<SubscriptionRecord> {
  if (keepsInvoicing && action !== 'suspend')
    throw invalidFields({ keep_invoicing: [fieldProblem('not_allowed', 'can be set with the action suspend only')] });
  if (isEnded(subscription.status)) throw fail('SERVICE_ENDED', 'the service has ended');
  let current = subscription;
  if (price || nextDueAt) current = await changeTerms(context, subscription, price, nextDueAt);
  switch (action) {
    case 'suspend':
      return suspendSubscription(context, current, 'operator', keepsInvoicing);
    case 'unsuspend':
      return unsuspendSubscription(context, current);
    case 'terminate':
      return (await endSubscription(context, subscription.id, 'terminated', 'operator')) ?? current;
    case null:
      return current;
    default:
      return assertNever(action);
  }
}

/** Throws INVALID_FIELDS. */
function checkTerms(
  { plan, nextDueAt: dueAt }: SubscriptionRecord,
  price: SubscriptionUpdate['price'],
  nextDueAt: Date | null,
): void {
  const problems: FieldMessages = {};
  if (price && price.currency !== '' && price.currency !== plan.currency) {
    addProblem(problems, 'price', fieldProblem('not_allowed', `must be in ${plan.currency}`));
  }
  const amount = price?.amountMinor ?? 0;
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > maxPriceMinor) {
    const message = `must be a whole number of minor units from 0 to ${maxPriceMinor}`;
    addProblem(problems, 'price', fieldProblem('out_of_range', message));
  }
  if (nextDueAt && !dueAt) {
    problems.next_due_at = [fieldProblem('read_only', 'cannot be set: this service is never due')];
  }
  requireValid(problems);
}

/** What was paid for the time that is left is worth as much until the new date. */
async function movePaid(
  { invoices }: BillingContext,
  subscription: SubscriptionRecord,
  at: Date,
  end: Date,
): Promise<PaidPeriod[]> {
  if (end <= at) return [];
  const unused = await unusedParts({ invoices }, subscription, at);
  return unused.map((part) => restOf(part, { start: at, end }, part));
}

async function changeTerms(
  context: BillingContext,
  subscription: SubscriptionRecord,
  price: SubscriptionUpdate['price'],
  nextDueAt: Date | null,
): Promise<SubscriptionRecord> {
  checkTerms(subscription, price, nextDueAt);
  // Renewals are invoiced again.
  for (const invoice of nextDueAt ? await context.invoices.openOfSubscription(subscription.id) : []) {
    const isRenewal = invoice.items.every(({ purpose }) => purpose === 'renewal');
    if (isRenewal) await voidInvoice(context, invoice.id);
  }
  const { invoiceDaysBefore, priceChangeDays: noticeDays, timezone } = await context.settings.read();
  const at = context.clock();
  const priceChange = price && noticedChange(subscription, price.amountMinor, { at, noticeDays, timezone });
  const notice = priceChange && { ...priceChange, oldMinor: subscription.plan.priceMinor };
  const changed = await context.subscriptions.changeIf(
    subscription.id,
    { status: [subscription.status], nextDueAt: subscription.nextDueAt },
    {
      set: {
        ...(price && !priceChange ? { plan: { ...subscription.plan, priceMinor: price.amountMinor } } : {}),
        ...(price ? { priceChange } : {}),
        // Periods count from the new date.
        ...(nextDueAt
          ? {
              nextDueAt,
              anchorAt: nextDueAt,
              periods: 0,
              renewAt: renewalTime(at, nextDueAt, invoiceDaysBefore),
              paid: await movePaid(context, subscription, at, nextDueAt),
            }
          : {}),
      },
      ...(notice ? { mail: mailEntry(subscription.id, 'price_changed', at, at.toISOString(), { notice }) } : {}),
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed');
  return changed;
}
