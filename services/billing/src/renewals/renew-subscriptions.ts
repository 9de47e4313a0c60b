import { createConcurrencyLimiter } from '@panel/kit/async';
import { nextPeriodOf, type RecurringSubscription } from '../domain/renewal.js';
import { isHeld, type SubscriptionRecord } from '../domain/subscription.js';
import type { RenewalDeps } from './dependencies.js';
import { isRecurring } from '../domain/calendar.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { invoiceRenewals } from './invoice-renewals.js';

/** Longer than the work on a batch. */
const leaseMs = 5 * 60_000;
/** Steps cost the same for any size. */
const batchSize = 250;
const holdMs = 60 * 60_000;
const job = 'renew-subscriptions';
/** Computes a batch while another is written. */
const parallel = 3;

/**
 * Claimed in batches; invoice ids derive from subscription and period; subscriptions are marked last. Safe for any
 * replicas and crashes. Failures are retried when the lease ends. Ends after its last batch, also when a claim fails.
 */
export async function renewSubscriptions(deps: RenewalDeps, signal: AbortSignal): Promise<void> {
  // concurrent ones would find the same subscriptions
  const claims = createConcurrencyLimiter({ concurrency: 1 });
  let isComplete = false;
  const claim = async () => {
    if (isComplete || signal.aborted) return [];
    const now = deps.clock();
    const batch = await deps.subscriptions.claimRenewals(now, new Date(now.getTime() + leaseMs), batchSize);
    isComplete = batch.length === 0;
    return batch;
  };
  const renewBatches = async () => {
    for (;;) {
      const batch = await claims.run(claim);
      if (batch.length === 0) return;
      await renewBatch(deps, batch);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: parallel }, renewBatches));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function renewBatch(deps: RenewalDeps, subscriptions: readonly SubscriptionRecord[]): Promise<void> {
  const recurring: RecurringSubscription[] = [];
  for (const subscription of subscriptions) {
    await deps.attempt(job, subscription.id, async () => {
      const next = nextPeriodOf(subscription);
      if (!next) await stopRenewing(deps, subscription);
      else if (isHeld(subscription)) await hold(deps, next);
      else recurring.push(next);
    });
  }
  try {
    await invoiceRenewals(deps, recurring);
  } catch (error) {
    deps.log.warn({ err: error, subscriptions: recurring.length }, 'a batch of renewals failed, renewing them singly');
    for (const one of recurring) await deps.attempt(job, one.subscription.id, async () => invoiceRenewals(deps, [one]));
  }
}

/** Due again later: it may be released, or end. */
async function hold({ subscriptions, clock }: RenewalDeps, { subscription, renewAt }: RecurringSubscription) {
  const again = new Date(clock().getTime() + holdMs);
  await subscriptions.changeIf(subscription.id, { renewAt }, { set: { renewAt: again } });
}

/** No further periods. */
async function stopRenewing(deps: RenewalDeps, subscription: SubscriptionRecord): Promise<void> {
  const { id, nextDueAt, anchorAt, renewAt, plan } = subscription;
  if (!nextDueAt || !anchorAt || !isRecurring(plan.interval)) {
    await deps.subscriptions.changeIf(id, { renewAt }, { set: { renewAt: null } });
  } else if (nextDueAt <= deps.clock()) await endSubscription(deps, id, 'cancelled', 'cancelled');
  else await deps.subscriptions.changeIf(id, { renewAt }, { set: { renewAt: nextDueAt } });
}
