import { suspensionMail } from '../domain/mail.js';
import {
  isHeld,
  type SubscriptionRecord,
  type SubscriptionStatus,
  type SuspendReason,
} from '../domain/subscription.js';
import { fail } from '../reasons.js';
import type { SubscriptionDeps } from './dependencies.js';

type ReasonChange = Pick<SubscriptionRecord, 'suspendReasons'> &
  Partial<Pick<SubscriptionRecord, 'isInvoicedOn' | 'nextDueAt' | 'anchorAt' | 'periods' | 'renewAt' | 'paid'>>;

type SuspensionDeps = Pick<SubscriptionDeps, 'subscriptions' | 'clock' | 'runJob'>;

const maxTries = 20;
/** Those without a server keep the reasons until they have one. */
const suspendable: readonly SubscriptionStatus[] = ['provisioning', 'failed', 'active', 'suspended'];

/**
 * For a reason more. Idempotent. `isInvoicedOn`: by staff, and renewed all the same. Throws SERVICE_NOT_ACTIVE, also when it
 * was just renewed.
 */
export async function suspendSubscription(
  deps: SuspensionDeps,
  { id, nextDueAt: dueAt }: Pick<SubscriptionRecord, 'id' | 'nextDueAt'>,
  reason: SuspendReason,
  isInvoicedOn?: boolean,
): Promise<SubscriptionRecord> {
  const suspended = await changeReasons(deps, id, ({ suspendReasons, nextDueAt, ...current }) => {
    if (nextDueAt?.getTime() !== dueAt?.getTime()) throw notActive();
    if (suspendReasons.includes(reason) && (isInvoicedOn ?? current.isInvoicedOn) === current.isInvoicedOn) return null;
    const reasons = new Set([...suspendReasons, reason]);
    return { suspendReasons: [...reasons], ...(isInvoicedOn === undefined ? {} : { isInvoicedOn }) };
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
  return changeReasons(deps, subscriptionId, ({ suspendReasons }) =>
    suspendReasons.includes(reason) ? { suspendReasons: suspendReasons.filter((one) => one !== reason) } : null,
  );
}

/** By staff, for every reason. Time that was not invoiced is skipped. Throws SERVICE_NOT_ACTIVE. */
export async function unsuspendSubscription(
  deps: SuspensionDeps,
  { id }: Pick<SubscriptionRecord, 'id'>,
): Promise<SubscriptionRecord> {
  const active = await changeReasons(deps, id, (current) =>
    current.suspendReasons.length === 0
      ? null
      : { suspendReasons: [], isInvoicedOn: false, ...(isHeld(current) ? nextPeriod(current, deps.clock()) : {}) },
  );
  if (!active) throw fail('SERVICE_NOT_ACTIVE', 'the service is not suspended');
  return active;
}

/** From now on, where its time is over and the next period has no invoice. */
function nextPeriod({ nextDueAt, renewAt }: SubscriptionRecord, at: Date) {
  if (!renewAt || !nextDueAt || nextDueAt > at) return {};
  return { nextDueAt: at, anchorAt: at, periods: 0, renewAt: at, paid: [] };
}

function notActive() {
  return fail('SERVICE_NOT_ACTIVE', 'the service is not active, or has just been renewed');
}

async function changeReasons(
  { subscriptions, clock, runJob }: SuspensionDeps,
  id: string,
  /** Null: nothing changes. */
  next: (current: SubscriptionRecord) => ReasonChange | null,
): Promise<SubscriptionRecord | null> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const current = await subscriptions.get(id);
    if (!current || !suspendable.includes(current.status)) return null;
    const change = next(current);
    if (!change) return current;
    const at = clock();
    const status = statusWith(current, change.suspendReasons);
    const changed = await subscriptions.changeIf(
      id,
      {
        status: [current.status],
        nextDueAt: current.nextDueAt,
        suspendReasons: current.suspendReasons,
        ...(change.renewAt ? { renewAt: current.renewAt } : {}),
      },
      {
        set: { ...change, status, suspendedAt: status === 'suspended' ? (current.suspendedAt ?? at) : null },
        ...(status === current.status ? {} : { syncAt: at, mail: suspensionMail(id, change.suspendReasons, at) }),
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
