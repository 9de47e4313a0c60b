import type { BillingContext } from '../../context.js';
import { renewalTime } from '../../domain/renewal.js';
import { isEnded, type SubscriptionRecord } from '../../domain/subscription.js';
import { mailEntry } from '../../domain/mail.js';
import { fail } from '../../reasons.js';

/** With one mail. Idempotent; throws SERVICE_ENDED. */
export async function resumeSubscription(
  context: BillingContext,
  subscription: SubscriptionRecord,
): Promise<SubscriptionRecord> {
  if (!subscription.cancelAtPeriodEnd && !isEnded(subscription.status)) return subscription;
  const { invoiceDaysBefore } = await context.settings.read();
  const renewAt = subscription.nextDueAt && renewalTime(context.clock(), subscription.nextDueAt, invoiceDaysBefore);
  const at = context.clock();
  const endsAt = subscription.nextDueAt ?? at;
  const resumed = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active', 'suspended'], cancelAtPeriodEnd: true },
    {
      set: { cancelAtPeriodEnd: false, renewAt },
      mail: mailEntry(subscription.id, 'subscription_resumed', at, at.toISOString(), { endsAt }),
    },
  );
  const current = resumed ?? (await context.subscriptions.get(subscription.id));
  if (!current || isEnded(current.status)) throw fail('SERVICE_ENDED', 'the service has ended');
  return current;
}
