import { mailEntry } from '../domain/mail.js';
import type { SubscriptionRecord, SubscriptionStatus, SuspendReason } from '../domain/subscription.js';
import { fail } from '../reasons.js';
import type { SubscriptionDeps } from './dependencies.js';

type SuspensionDeps = Pick<SubscriptionDeps, 'subscriptions' | 'clock' | 'runJob'>;

const maxTries = 20;
/** Those without a server keep the reasons until they have one. */
const suspendable: readonly SubscriptionStatus[] = ['provisioning', 'failed', 'active', 'suspended'];

/** For a reason more. Idempotent. Throws SERVICE_NOT_ACTIVE, also when it was just renewed. */
export async function suspendSubscription(
  deps: SuspensionDeps,
  { id, nextDueAt: dueAt }: Pick<SubscriptionRecord, 'id' | 'nextDueAt'>,
  reason: SuspendReason,
): Promise<SubscriptionRecord> {
  const suspended = await changeReasons(deps, id, ({ suspendReasons, nextDueAt }) => {
    if (nextDueAt?.getTime() !== dueAt?.getTime()) throw notActive();
    return suspendReasons.includes(reason) ? suspendReasons : [...suspendReasons, reason];
  });
  if (!suspended) throw notActive();
  return suspended;
}

/** It stays suspended for its other reasons. Idempotent; null: it has ended, or has not begun. */
export async function liftSuspension(
  deps: SuspensionDeps,
  subscriptionId: string,
  reason: SuspendReason,
): Promise<SubscriptionRecord | null> {
  return changeReasons(deps, subscriptionId, ({ suspendReasons }) => suspendReasons.filter((one) => one !== reason));
}

/** By staff, for every reason. Throws SERVICE_NOT_ACTIVE. */
export async function unsuspendSubscription(
  deps: SuspensionDeps,
  { id }: Pick<SubscriptionRecord, 'id'>,
): Promise<SubscriptionRecord> {
  const active = await changeReasons(deps, id, () => []);
  if (!active) throw fail('SERVICE_NOT_ACTIVE', 'the service is not suspended');
  return active;
}

function notActive() {
  return fail('SERVICE_NOT_ACTIVE', 'the service is not active, or has just been renewed');
}

async function changeReasons(
  { subscriptions, clock, runJob }: SuspensionDeps,
  id: string,
  next: (current: SubscriptionRecord) => readonly SuspendReason[],
): Promise<SubscriptionRecord | null> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const current = await subscriptions.get(id);
    if (!current || !suspendable.includes(current.status)) return null;
    const suspendReasons = next(current);
    if (suspendReasons.length === current.suspendReasons.length) return current;
    const at = clock();
    const status = statusWith(current, suspendReasons);
    const event = status === 'suspended' ? 'subscription_suspended' : 'subscription_unsuspended';
    const changed = await subscriptions.changeIf(
      id,
      { status: [current.status], nextDueAt: current.nextDueAt, suspendReasons: current.suspendReasons },
      {
        set: { status, suspendReasons, suspendedAt: status === 'suspended' ? (current.suspendedAt ?? at) : null },
        ...(status === current.status ? {} : { syncAt: at, mail: mailEntry(id, event, at, at.toISOString()) }),
      },
    );
    if (!changed) continue;
    if (status !== current.status) runJob('sync-servers');
    return changed;
  }
  throw fail('SERVICE_CHANGED', 'the service changes too fast to be suspended');
}

function statusWith({ status }: SubscriptionRecord, reasons: readonly SuspendReason[]): SubscriptionStatus {
  if (status === 'provisioning' || status === 'failed') return status;
  return reasons.length > 0 ? 'suspended' : 'active';
}
