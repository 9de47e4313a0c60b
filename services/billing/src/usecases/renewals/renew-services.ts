import type { BillingContext } from '../../context.js';
import { isRecurring } from '../../domain/calendar.js';
import type { ServiceRecord } from '../../models/service.js';
import { endService } from '../services/end-service.js';
import { invoiceRenewals, type RecurringService } from './invoice-renewals.js';

/** Longer than the work on one batch takes. */
const leaseMs = 5 * 60_000;
/** Steps of a batch cost the same for one service and for many. */
const batchSize = 250;
const job = 'renew-services';
/** While the database works on one batch, the next one is computed. */
const parallel = 3;

/**
 * Invoice what is due: services are claimed in batches, their invoices have ids that follow from service and period, and only
 * then the services are marked as invoiced. Any number of replicas may do this, and die at any point: there is one invoice.
 * What fails is tried again when its lease ends.
 */
export async function renewServices(context: BillingContext, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    const now = context.clock();
    const batch = await context.services.claimRenewals(now, new Date(now.getTime() + leaseMs), batchSize);
    if (batch.length === 0) break;
    const work = renewBatch(context, batch).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= parallel) await Promise.race(running);
  }
  await Promise.all(running);
}

async function renewBatch(context: BillingContext, services: readonly ServiceRecord[]): Promise<void> {
  const recurring: RecurringService[] = [];
  for (const service of services) {
    await context.attempt(job, service.id, async () => {
      const next = nextPeriodOf(service);
      if (next) recurring.push(next);
      else await stopRenewing(context, service);
    });
  }
  try {
    await invoiceRenewals(context, recurring);
  } catch (error) {
    context.log.warn({ err: error, services: recurring.length }, 'a batch of renewals failed, renewing them singly');
    for (const one of recurring)
      await context.attempt(job, one.service.id, async () => invoiceRenewals(context, [one]));
  }
}

/** Null: there are no further periods. */
function nextPeriodOf(service: ServiceRecord): RecurringService | null {
  const { nextDueAt, anchorAt, renewAt, plan, cancelAtPeriodEnd } = service;
  const { interval, intervalCount } = plan;
  if (cancelAtPeriodEnd || !renewAt || !nextDueAt || !anchorAt || !isRecurring(interval)) return null;
  return { service, renewAt, nextDueAt, anchorAt, period: { interval, intervalCount } };
}

/** Of a service without further periods. */
async function stopRenewing(context: BillingContext, service: ServiceRecord): Promise<void> {
  const { id, nextDueAt, anchorAt, renewAt, plan } = service;
  if (!nextDueAt || !anchorAt || !isRecurring(plan.interval)) {
    await context.services.changeIf(id, { renewAt }, { set: { renewAt: null } });
  } else if (nextDueAt <= context.clock()) await endService(context, id, 'cancelled');
  else await context.services.changeIf(id, { renewAt }, { set: { renewAt: nextDueAt } });
}
