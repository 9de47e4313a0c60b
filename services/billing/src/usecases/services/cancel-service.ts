import type { BillingContext } from '../../context.js';
import { isEnded } from '../../domain/service.js';
import { paidMinor } from '../../domain/invoice.js';
import type { ServiceRecord } from '../../models/service.js';
import { fail } from '../../reasons.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { renewalTime } from '../invoices/apply-effects.js';
import { endService } from './end-service.js';

/** End a service now, or when what was paid for is over. What is never due ends now. Idempotent. */
export async function cancelService(
  context: BillingContext,
  service: ServiceRecord,
  immediately: boolean,
): Promise<ServiceRecord> {
  if (isEnded(service.status)) return service;
  if (immediately || !service.nextDueAt || service.nextDueAt <= context.clock() || service.status !== 'active') {
    return (await endService(context, service.id, 'cancelled')) ?? service;
  }
  for (const invoice of await context.invoices.openOfService(service.id)) {
    if (invoice.items.length === 1 && paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  }
  const cancelled = await context.services.changeIf(
    service.id,
    { status: ['active'] },
    { set: { cancelAtPeriodEnd: true, renewAt: service.nextDueAt } },
  );
  if (!cancelled) throw fail('SERVICE_CHANGED', 'the service has just changed');
  return cancelled;
}

/** Take back a cancellation at the end of the period. Throws SERVICE_ENDED. */
export async function resumeService(context: BillingContext, service: ServiceRecord): Promise<ServiceRecord> {
  if (!service.cancelAtPeriodEnd && !isEnded(service.status)) return service;
  const { invoiceDaysBefore } = await context.settings.read();
  const renewAt = service.nextDueAt && renewalTime(context.clock(), service.nextDueAt, invoiceDaysBefore);
  const resumed = await context.services.changeIf(
    service.id,
    { status: ['active', 'suspended'] },
    { set: { cancelAtPeriodEnd: false, renewAt } },
  );
  if (!resumed) throw fail('SERVICE_ENDED', 'the service has ended');
  return resumed;
}
