import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { SubscriptionRecord } from '../../domain/subscription.js';
import { fail } from '../../reasons.js';
import { mayUse } from '../../domain/own-or-staff.js';

/** Own, or any for staff. Throws SERVICE_NOT_FOUND, also for those of others. */
export async function getSubscription(
  { subscriptions }: BillingContext,
  subscriptionId: string,
  caller: Caller,
): Promise<SubscriptionRecord> {
  const subscription = await subscriptions.get(subscriptionId);
  if (!subscription || !mayUse(caller, subscription.userId))
    throw fail('SERVICE_NOT_FOUND', 'there is no such service');
  return subscription;
}
