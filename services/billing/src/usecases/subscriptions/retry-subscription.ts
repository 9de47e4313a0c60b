import type { BillingContext } from '../../context.js';
import type { SubscriptionRecord } from '../../domain/subscription.js';

/** Also after a given-up attempt. */
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
