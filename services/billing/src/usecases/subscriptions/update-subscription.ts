import { assertNever, invalidFields } from '@panel/kit';
import type { BillingContext } from '../../context.js';
import { isEnded, type SuspendReason } from '../../domain/subscription.js';
import { paidMinor } from '../../domain/invoice.js';
import { maxPriceMinor } from '../../domain/money.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { renewalTime } from '../invoices/apply-effects.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { fail } from '../../reasons.js';
import { mailEntry } from '../mail/mail-entry.js';
import { endSubscription } from './end-subscription.js';

export interface SubscriptionUpdate {
  readonly price: { readonly amountMinor: number; readonly currency: string } | null;
  readonly nextDueAt: Date | null;
  readonly action: 'suspend' | 'unsuspend' | 'terminate' | null;
}

/** What an operator may change. Throws SERVICE_ENDED, SERVICE_NOT_ACTIVE, INVALID_FIELDS. */
export async function updateSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
  { price, nextDueAt, action }: SubscriptionUpdate,
): Promise<SubscriptionRecord> {
  if (isEnded(subscription.status)) throw fail('SERVICE_ENDED', 'the service has ended');
  let current = subscription;
  if (price || nextDueAt) current = await changeTerms(context, subscription, price, nextDueAt);
  switch (action) {
    case 'suspend':
      return suspendSubscription(context, current, 'operator');
    case 'unsuspend':
      return unsuspendSubscription(context, current);
    case 'terminate':
      return (await endSubscription(context, subscription.id, 'terminated')) ?? current;
    case null:
      return current;
    default:
      return assertNever(action);
  }
}

async function changeTerms(
  context: BillingContext,
  subscription: SubscriptionRecord,
  price: SubscriptionUpdate['price'],
  nextDueAt: Date | null,
): Promise<SubscriptionRecord> {
  if (price && price.currency !== '' && price.currency !== subscription.plan.currency) {
    throw invalidFields({ price: [`must be in ${subscription.plan.currency}`] });
  }
  if (
    price &&
    (!Number.isSafeInteger(price.amountMinor) || price.amountMinor < 0 || price.amountMinor > maxPriceMinor)
  ) {
    throw invalidFields({ price: [`must be a whole number of minor units from 0 to ${maxPriceMinor}`] });
  }
  if (nextDueAt && !subscription.nextDueAt)
    throw invalidFields({ next_due_at: ['cannot be set: this service is never due'] });
  // A renewal of the old date is invoiced anew; one that is paid in part stands.
  for (const invoice of nextDueAt ? await context.invoices.openOfSubscription(subscription.id) : []) {
    const isRenewal = invoice.items.every(({ purpose }) => purpose === 'renewal');
    if (isRenewal && paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  }
  const { invoiceDaysBefore } = await context.settings.read();
  const at = context.clock();
  const changed = await context.subscriptions.changeIf(
    subscription.id,
    { status: [subscription.status], nextDueAt: subscription.nextDueAt },
    {
      set: {
        ...(price ? { plan: { ...subscription.plan, priceMinor: price.amountMinor } } : {}),
        // Periods are counted from the new date on.
        ...(nextDueAt
          ? { nextDueAt, anchorAt: nextDueAt, periods: 0, renewAt: renewalTime(at, nextDueAt, invoiceDaysBefore) }
          : {}),
      },
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed');
  return changed;
}

/** Suspend an active subscription. Idempotent. Throws SERVICE_NOT_ACTIVE. */
export async function suspendSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
  reason: SuspendReason,
): Promise<SubscriptionRecord> {
  if (subscription.status === 'suspended') return subscription;
  const at = context.clock();
  const suspended = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active'], nextDueAt: subscription.nextDueAt },
    {
      set: { status: 'suspended', suspendReason: reason, suspendedAt: at },
      syncAt: at,
      mail: mailEntry(subscription.id, 'subscription_suspended', at, at.toISOString()),
    },
  );
  if (!suspended) throw fail('SERVICE_NOT_ACTIVE', 'the service is not active, or has just been renewed');
  context.runJob('sync-servers');
  return suspended;
}

/** Lift a suspension, whatever its reason. Throws SERVICE_NOT_ACTIVE. */
export async function unsuspendSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
): Promise<SubscriptionRecord> {
  if (subscription.status === 'active') return subscription;
  const at = context.clock();
  const active = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['suspended'] },
    {
      set: { status: 'active', suspendReason: null, suspendedAt: null },
      syncAt: at,
      mail: mailEntry(subscription.id, 'subscription_unsuspended', at, at.toISOString()),
    },
  );
  if (!active) throw fail('SERVICE_NOT_ACTIVE', 'the service is not suspended');
  context.runJob('sync-servers');
  return active;
}

/** Try again now what waits or was given up. */
export async function retrySubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
): Promise<SubscriptionRecord> {
  const at = context.clock();
  const again = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['failed'] },
    { set: { status: 'provisioning' }, syncAt: at },
  );
  if (!again && subscription.sync.dueAt) await context.subscriptions.retrySync(subscription.id, at);
  context.runJob('sync-servers');
  return (await context.subscriptions.get(subscription.id)) ?? subscription;
}
