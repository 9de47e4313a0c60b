import { isEnded, type SubscriptionRecord } from '../../domain/subscription.js';
import type { BillingContext } from '../../context.js';
import { mailEntry } from '../../domain/mail.js';
import { fail } from '../../reasons.js';
import { voidInvoice } from '../../invoicing/void-invoice.js';
import { endSubscription } from '../../subscriptions/end-subscription.js';

/** Now, or at the end of the paid time if any, with one mail. Idempotent. */
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
    return (await endSubscription(context, subscription.id, 'cancelled', 'cancelled')) ?? subscription;
  }
  for (const invoice of await context.invoices.openOfSubscription(subscription.id)) {
    if (invoice.items.length === 1) await voidInvoice(context, invoice.id);
  }
  return cancelAtEnd(context, subscription.id, subscription.nextDueAt);
}

async function cancelAtEnd(
  { subscriptions, clock }: BillingContext,
  id: string,
  endsAt: Date,
): Promise<SubscriptionRecord> {
  const at = clock();
  const cancelled = await subscriptions.changeIf(
    id,
    { status: ['active'], nextDueAt: endsAt, cancelAtPeriodEnd: false },
    {
      set: { cancelAtPeriodEnd: true, renewAt: endsAt },
      mail: mailEntry(id, 'subscription_cancelled', at, at.toISOString(), { endsAt }),
    },
  );
  if (cancelled) return cancelled;
  const current = await subscriptions.get(id);
  if (!current?.cancelAtPeriodEnd) throw fail('SERVICE_CHANGED', 'the service has just changed');
  return current;
}
