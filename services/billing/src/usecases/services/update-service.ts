import { assertNever, invalidFields } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { isEnded, type SuspendReason } from '../../domain/service.js';
import { paidMinor } from '../../domain/invoice.js';
import { maxPriceMinor } from '../../domain/money.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { renewalTime } from '../invoices/apply-effects.js';
import type { ServiceRecord } from '../../models/service.js';
import { fail } from '../../reasons.js';
import { mailEntry } from '../mail/mail-entry.js';
import { endService } from './end-service.js';

export interface ServiceUpdate {
  readonly price: { readonly amountMinor: number; readonly currency: string } | null;
  readonly nextDueAt: Date | null;
  readonly action: 'suspend' | 'unsuspend' | 'terminate' | null;
}

/** What an operator may change. Throws SERVICE_ENDED, SERVICE_NOT_ACTIVE, INVALID_FIELDS. */
export async function updateService(
  context: BillingContext,
  service: ServiceRecord,
  { price, nextDueAt, action }: ServiceUpdate,
): Promise<ServiceRecord> {
  if (isEnded(service.status)) throw fail('SERVICE_ENDED', 'the service has ended');
  let current = service;
  if (price || nextDueAt) current = await changeTerms(context, service, price, nextDueAt);
  switch (action) {
    case 'suspend':
      return suspendService(context, current, 'operator');
    case 'unsuspend':
      return unsuspendService(context, current);
    case 'terminate':
      return (await endService(context, service.id, 'terminated')) ?? current;
    case null:
      return current;
    default:
      return assertNever(action);
  }
}

async function changeTerms(
  context: BillingContext,
  service: ServiceRecord,
  price: ServiceUpdate['price'],
  nextDueAt: Date | null,
): Promise<ServiceRecord> {
  if (price && price.currency !== '' && price.currency !== service.plan.currency) {
    throw invalidFields({ price: [`must be in ${service.plan.currency}`] });
  }
  if (
    price &&
    (!Number.isSafeInteger(price.amountMinor) || price.amountMinor < 0 || price.amountMinor > maxPriceMinor)
  ) {
    throw invalidFields({ price: [`must be a whole number of minor units from 0 to ${maxPriceMinor}`] });
  }
  if (nextDueAt && !service.nextDueAt)
    throw invalidFields({ next_due_at: ['cannot be set: this service is never due'] });
  // A renewal of the old date is invoiced anew; one that is paid in part stands.
  for (const invoice of nextDueAt ? await context.invoices.openOfService(service.id) : []) {
    const isRenewal = invoice.items.every(({ purpose }) => purpose === 'renewal');
    if (isRenewal && paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  }
  const { invoiceDaysBefore } = await context.settings.read();
  const at = context.clock();
  const changed = await context.services.changeIf(
    service.id,
    { status: [service.status], nextDueAt: service.nextDueAt },
    {
      set: {
        ...(price ? { plan: { ...service.plan, priceMinor: price.amountMinor } } : {}),
        // Periods are counted from the new date on.
        ...(nextDueAt
          ? { nextDueAt, anchorAt: nextDueAt, periods: 0, renewAt: renewalTime(at, nextDueAt, invoiceDaysBefore) }
          : {}),
      },
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed');
  return changed;
}

/** Suspend an active service. Idempotent. Throws SERVICE_NOT_ACTIVE. */
export async function suspendService(
  context: BillingContext,
  service: ServiceRecord,
  reason: SuspendReason,
): Promise<ServiceRecord> {
  if (service.status === 'suspended') return service;
  const at = context.clock();
  const suspended = await context.services.changeIf(
    service.id,
    { status: ['active'], nextDueAt: service.nextDueAt },
    {
      set: { status: 'suspended', suspendReason: reason, suspendedAt: at },
      syncAt: at,
      mail: mailEntry(service.id, 'service_suspended', at, at.toISOString()),
    },
  );
  if (!suspended) throw fail('SERVICE_NOT_ACTIVE', 'the service is not active, or has just been renewed');
  context.runJob('sync-servers');
  return suspended;
}

/** Lift a suspension, whatever its reason. Throws SERVICE_NOT_ACTIVE. */
export async function unsuspendService(context: BillingContext, service: ServiceRecord): Promise<ServiceRecord> {
  if (service.status === 'active') return service;
  const at = context.clock();
  const active = await context.services.changeIf(
    service.id,
    { status: ['suspended'] },
    {
      set: { status: 'active', suspendReason: null, suspendedAt: null },
      syncAt: at,
      mail: mailEntry(service.id, 'service_unsuspended', at, at.toISOString()),
    },
  );
  if (!active) throw fail('SERVICE_NOT_ACTIVE', 'the service is not suspended');
  context.runJob('sync-servers');
  return active;
}

/** Try again now what waits or was given up. */
export async function retryService(context: BillingContext, service: ServiceRecord): Promise<ServiceRecord> {
  const at = context.clock();
  const again = await context.services.changeIf(
    service.id,
    { status: ['failed'] },
    { set: { status: 'provisioning' }, syncAt: at },
  );
  if (!again && service.sync.dueAt) await context.services.retrySync(service.id, at);
  context.runJob('sync-servers');
  return (await context.services.get(service.id)) ?? service;
}
