import type { BillingContext } from '../../context.js';
import { isRecurring } from '../../domain/calendar.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { invoiceRenewals, type RecurringSubscription } from './invoice-renewals.js';

/** Longer than the work on one batch takes. */
const leaseMs = 5 * 60_000;
/** Steps of a batch cost the same for one subscription and for many. */
const batchSize = 250;
const job = 'renew-subscriptions';
/** While the database works on one batch, the next one is computed. */
const parallel = 3;

/**
 * Invoice what is due: subscriptions are claimed in batches, their invoices have ids that follow from subscription and period, and only
 * then the subscriptions are marked as invoiced. Any number of replicas may do this, and die at any point: there is one invoice.
 * What fails is tried again when its lease ends.
 */
export async function renewSubscriptions(context: BillingContext, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    const now = context.clock();
    const batch = await context.subscriptions.claimRenewals(now, new Date(now.getTime() + leaseMs), batchSize);
    if (batch.length === 0) break;
    const work = renewBatch(context, batch).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= parallel) await Promise.race(running);
  }
  await Promise.all(running);
}

async function renewBatch(context: BillingContext, subscriptions: readonly SubscriptionRecord[]): Promise<void> {
  const recurring: RecurringSubscription[] = [];
  for (const subscription of subscriptions) {
    await context.attempt(job, subscription.id, async () => {
      const next = nextPeriodOf(subscription);
      if (next) recurring.push(next);
      else await stopRenewing(context, subscription);
    });
  }
  try {
    await invoiceRenewals(context, recurring);
  } catch (error) {
    context.log.warn(
      { err: error, subscriptions: recurring.length },
      'a batch of renewals failed, renewing them singly',
    );
    for (const one of recurring)
      await context.attempt(job, one.subscription.id, async () => invoiceRenewals(context, [one]));
  }
}

/** Null: there are no further periods. */
function nextPeriodOf(subscription: SubscriptionRecord): RecurringSubscription | null {
  const { nextDueAt, anchorAt, renewAt, plan, cancelAtPeriodEnd } = subscription;
  const { interval, intervalCount } = plan;
  if (cancelAtPeriodEnd || !renewAt || !nextDueAt || !anchorAt || !isRecurring(interval)) return null;
  return { subscription, renewAt, nextDueAt, anchorAt, period: { interval, intervalCount } };
}

/** Of a subscription without further periods. */
async function stopRenewing(context: BillingContext, subscription: SubscriptionRecord): Promise<void> {
  const { id, nextDueAt, anchorAt, renewAt, plan } = subscription;
  if (!nextDueAt || !anchorAt || !isRecurring(plan.interval)) {
    await context.subscriptions.changeIf(id, { renewAt }, { set: { renewAt: null } });
  } else if (nextDueAt <= context.clock()) await endSubscription(context, id, 'cancelled');
  else await context.subscriptions.changeIf(id, { renewAt }, { set: { renewAt: nextDueAt } });
}
