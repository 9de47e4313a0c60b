import { nextPeriodOf, type RecurringSubscription } from '../domain/renewal.js';
import type { SubscriptionRecord } from '../domain/subscription.js';
import type { RenewalDeps } from './dependencies.js';
import { isRecurring } from '../domain/calendar.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { invoiceRenewals } from './invoice-renewals.js';

/** Longer than the work on a batch. */
const leaseMs = 5 * 60_000;
/** Steps cost the same for any size. */
const batchSize = 250;
const job = 'renew-subscriptions';
/** Computes a batch while another is written. */
const parallel = 3;

/**
 * Claimed in batches; invoice ids derive from subscription and period; subscriptions are marked last. Safe for any
 * replicas and crashes. Failures are retried when the lease ends.
 */
export async function renewSubscriptions(deps: RenewalDeps, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    const now = deps.clock();
    const batch = await deps.subscriptions.claimRenewals(now, new Date(now.getTime() + leaseMs), batchSize);
    if (batch.length === 0) break;
    const work = renewBatch(deps, batch).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= parallel) await Promise.race(running);
  }
  await Promise.all(running);
}

async function renewBatch(deps: RenewalDeps, subscriptions: readonly SubscriptionRecord[]): Promise<void> {
  const recurring: RecurringSubscription[] = [];
  for (const subscription of subscriptions) {
    await deps.attempt(job, subscription.id, async () => {
      const next = nextPeriodOf(subscription);
      if (next) recurring.push(next);
      else await stopRenewing(deps, subscription);
    });
  }
  try {
    await invoiceRenewals(deps, recurring);
  } catch (error) {
    deps.log.warn({ err: error, subscriptions: recurring.length }, 'a batch of renewals failed, renewing them singly');
    for (const one of recurring) await deps.attempt(job, one.subscription.id, async () => invoiceRenewals(deps, [one]));
  }
}

/** No further periods. */
async function stopRenewing(deps: RenewalDeps, subscription: SubscriptionRecord): Promise<void> {
  const { id, nextDueAt, anchorAt, renewAt, plan } = subscription;
  if (!nextDueAt || !anchorAt || !isRecurring(plan.interval)) {
    await deps.subscriptions.changeIf(id, { renewAt }, { set: { renewAt: null } });
  } else if (nextDueAt <= deps.clock()) await endSubscription(deps, id, 'cancelled');
  else await deps.subscriptions.changeIf(id, { renewAt }, { set: { renewAt: nextDueAt } });
}
