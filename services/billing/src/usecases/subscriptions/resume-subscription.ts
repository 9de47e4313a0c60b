import type { BillingContext } from '../../context.js';
import { renewalTime } from '../../domain/renewal.js';
import { isEnded, type SubscriptionRecord } from '../../domain/subscription.js';
import { fail } from '../../reasons.js';

/** Throws SERVICE_ENDED. */
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
