import { isEnded, type SubscriptionRecord } from '../../domain/subscription.js';
import type { BillingContext } from '../../context.js';
import { paidMinor } from '../../domain/invoice.js';
import { fail } from '../../reasons.js';
import { voidInvoice } from '../../invoicing/void-invoice.js';
import { endSubscription } from '../../subscriptions/end-subscription.js';

/** Now, or at the end of the paid time if any. Idempotent. */
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
