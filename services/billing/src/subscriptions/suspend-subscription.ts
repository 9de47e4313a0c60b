import { mailEntry } from '../domain/mail.js';
import type { SubscriptionRecord, SuspendReason } from '../domain/subscription.js';
import { fail } from '../reasons.js';
import type { SubscriptionDeps } from './dependencies.js';

/** Idempotent. Throws SERVICE_NOT_ACTIVE. */
export async function suspendSubscription(
  deps: SubscriptionDeps,
  subscription: SubscriptionRecord,
  reason: SuspendReason,
): Promise<SubscriptionRecord> {
  if (subscription.status === 'suspended') return subscription;
  const at = deps.clock();
  const suspended = await deps.subscriptions.changeIf(
    subscription.id,
    { status: ['active'], nextDueAt: subscription.nextDueAt },
    {
      set: { status: 'suspended', suspendReason: reason, suspendedAt: at },
      syncAt: at,
      mail: mailEntry(subscription.id, 'subscription_suspended', at, at.toISOString()),
    },
  );
  if (!suspended) throw fail('SERVICE_NOT_ACTIVE', 'the service is not active, or has just been renewed');
  deps.runJob('sync-servers');
  return suspended;
}

/** Throws SERVICE_NOT_ACTIVE. */
export async function unsuspendSubscription(
  deps: SubscriptionDeps,
  subscription: SubscriptionRecord,
): Promise<SubscriptionRecord> {
  if (subscription.status === 'active') return subscription;
  const at = deps.clock();
  const active = await deps.subscriptions.changeIf(
    subscription.id,
    { status: ['suspended'] },
    {
      set: { status: 'active', suspendReason: null, suspendedAt: null },
      syncAt: at,
      mail: mailEntry(subscription.id, 'subscription_unsuspended', at, at.toISOString()),
    },
  );
  if (!active) throw fail('SERVICE_NOT_ACTIVE', 'the service is not suspended');
  deps.runJob('sync-servers');
  return active;
}
