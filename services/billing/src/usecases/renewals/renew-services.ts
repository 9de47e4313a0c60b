import type { BillingContext } from '../../context.js';
import { isRecurring } from '../../domain/calendar.js';
import type { ServiceRecord } from '../../models/service.js';
import { endService } from '../services/end-service.js';
import { invoiceRenewals, type RecurringService } from './invoice-renewals.js';

/** Longer than the work on one batch takes. */
const leaseMs = 5 * 60_000;
/** Steps of a batch cost the same for one service and for many. */
const batchSize = 250;
/** While the database works on one batch, the next one is computed. */
const parallel = 3;

/**
 * Invoice what is due: services are claimed in batches, their invoices have ids that follow from service and period, and only
 * then the services are marked as invoiced. Any number of replicas may do this, and die at any point: there is one invoice.
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
    const { nextDueAt, anchorAt, renewAt, plan } = service;
    const { interval, intervalCount } = plan;
    if (!service.cancelAtPeriodEnd && renewAt && nextDueAt && anchorAt && isRecurring(interval)) {
      recurring.push({ service, renewAt, nextDueAt, anchorAt, period: { interval, intervalCount } });
    } else await tryWork(context, [service], async () => stopRenewing(context, service));
  }
  await tryWork(
    context,
    recurring.map(({ service }) => service),
    async () => invoiceRenewals(context, recurring),
  );
}

/** What fails is tried again when its lease ends. */
async function tryWork(
  { log }: BillingContext,
  services: readonly ServiceRecord[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ err: error, serviceIds: services.map(({ id }) => id) }, 'services could not be renewed');
  }
}

/** Of a service without further periods. */
async function stopRenewing(context: BillingContext, service: ServiceRecord): Promise<void> {
  const { id, nextDueAt, anchorAt, renewAt, plan } = service;
  if (!nextDueAt || !anchorAt || !isRecurring(plan.interval)) {
    await context.services.changeIf(id, { renewAt }, { set: { renewAt: null } });
  } else if (nextDueAt <= context.clock()) await endService(context, id, 'cancelled');
  else await context.services.changeIf(id, { renewAt }, { set: { renewAt: nextDueAt } });
}
