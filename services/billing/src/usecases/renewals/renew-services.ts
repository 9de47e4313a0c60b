import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { endOfPeriod, isRecurring } from '../../domain/calendar.js';
import type { InvoiceItem } from '../../domain/invoice.js';
import { renewalDiscount } from '../../domain/quote.js';
import { taxRateFor, withTax } from '../../domain/tax.js';
import type { ServiceRecord } from '../../models/service.js';
import { applyInvoiceEffects } from '../invoices/apply-effects.js';
import { newInvoice } from '../invoices/new-invoice.js';
import { endService } from '../services/end-service.js';
import { payAutomatically } from './pay-automatically.js';

/** Longer than the work on one service takes. */
const leaseMs = 5 * 60_000;
const parallel = 16;

/**
 * Invoice what is due: each service is claimed, its invoice has an id that follows from service and period, and only then
 * the service is marked as invoiced. Any number of replicas may do this, and die at any point: there is one invoice.
 */
export async function renewServices(context: BillingContext, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: parallel }, async () => renewUntilDone(context, signal)));
}

async function renewUntilDone(context: BillingContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = context.clock();
    const service = await context.services.claimRenewal(now, new Date(now.getTime() + leaseMs));
    if (!service) return;
    try {
      await renewService(context, service);
    } catch (error) {
      // Its lease ends, and it is tried again.
      context.log.error({ err: error, serviceId: service.id }, 'a service could not be renewed');
    }
  }
}

async function renewService(context: BillingContext, service: ServiceRecord): Promise<void> {
  const { interval, intervalCount } = service.plan;
  const { nextDueAt, anchorAt, renewAt } = service;
  if (!nextDueAt || !anchorAt || !isRecurring(interval)) {
    await context.services.changeIf(service.id, { renewAt }, { set: { renewAt: null } });
    return;
  }
  if (service.cancelAtPeriodEnd) {
    if (nextDueAt <= context.clock()) await endService(context, service.id, 'cancelled');
    else await context.services.changeIf(service.id, { renewAt }, { set: { renewAt: nextDueAt } });
    return;
  }
  const { timezone } = await context.settings.read();
  const periodEnd = endOfPeriod(anchorAt, { interval, intervalCount }, service.periods + 1, timezone);
  const invoice = await newInvoice(context, {
    id: derivedId(service.id, `renewal ${nextDueAt.toISOString()} ${service.renewalSerial}`),
    userId: service.userId,
    currency: service.plan.currency,
    at: context.clock(),
    dueAt: nextDueAt,
    items: [await itemOf(context, service, nextDueAt, periodEnd)],
  });
  context.failpoint('renew.invoiced');
  const { discount } = service;
  const used = discount && discount.remaining !== null ? { ...discount, remaining: discount.remaining - 1 } : discount;
  const left = used?.remaining === 0 ? null : used;
  await context.services.changeIf(service.id, { renewAt, nextDueAt }, { set: { renewAt: null, discount: left } });
  context.failpoint('renew.marked');
  if (invoice.status === 'paid') await applyInvoiceEffects(context, invoice.id);
  else await payAutomatically(context, invoice);
}

async function itemOf(
  context: BillingContext,
  service: ServiceRecord,
  periodStart: Date,
  periodEnd: Date,
): Promise<InvoiceItem> {
  const { priceMinor, name } = service.plan;
  const discountMinor = renewalDiscount(service.discount, priceMinor);
  const { country } = await context.profiles.get(service.userId);
  return {
    purpose: 'renewal',
    description: `${service.productName} – ${name}`,
    serviceId: service.id,
    productId: service.productId,
    productName: service.productName,
    quantity: 1,
    unitPriceMinor: priceMinor,
    setupFeeMinor: 0,
    discountMinor,
    ...withTax(priceMinor - discountMinor, taxRateFor(country, await context.settings.read())),
    periodStart,
    periodEnd,
  };
}
