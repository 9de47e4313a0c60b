import type { BillingContext } from '../../context.js';
import { isEnded } from '../../domain/subscription.js';
import { paidMinor } from '../../domain/invoice.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { fail } from '../../reasons.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { renewalTime } from '../invoices/apply-effects.js';
import { endSubscription } from './end-subscription.js';

/** End a subscription now, or when what was paid for is over. What is never due ends now. Idempotent. */
export async function cancelSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
  immediately: boolean,
): Promise<SubscriptionRecord> {
  if (isEnded(subscription.status)) return subscription;
  if (
    immediately ||
    !subscription.nextDueAt ||
    subscription.nextDueAt <= context.clock() ||
    subscription.status !== 'active'
  ) {
    return (await endSubscription(context, subscription.id, 'cancelled')) ?? subscription;
  }
  for (const invoice of await context.invoices.openOfSubscription(subscription.id)) {
    if (invoice.items.length === 1 && paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  }
  const cancelled = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active'] },
    { set: { cancelAtPeriodEnd: true, renewAt: subscription.nextDueAt } },
  );
  if (!cancelled) throw fail('SERVICE_CHANGED', 'the service has just changed');
  return cancelled;
}

/** Take back a cancellation at the end of the period. Throws SERVICE_ENDED. */
export async function resumeSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
): Promise<SubscriptionRecord> {
  if (!subscription.cancelAtPeriodEnd && !isEnded(subscription.status)) return subscription;
  const { invoiceDaysBefore } = await context.settings.read();
  const renewAt = subscription.nextDueAt && renewalTime(context.clock(), subscription.nextDueAt, invoiceDaysBefore);
  const resumed = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active', 'suspended'] },
    { set: { cancelAtPeriodEnd: false, renewAt } },
  );
  if (!resumed) throw fail('SERVICE_ENDED', 'the service has ended');
  return resumed;
}
