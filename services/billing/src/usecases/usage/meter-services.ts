import { isAppError } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import { isEnded } from '../../domain/service.js';
import { microsPerMinor } from '../../domain/usage-price.js';
import type { ServiceRecord } from '../../models/service.js';
import { mailEntry } from '../mail/mail-entry.js';
import { endService } from '../services/end-service.js';
import { suspendService } from '../services/update-service.js';
import { chargeHours } from './charge-hours.js';
import { invoiceUsage } from './invoice-usage.js';
import { payCharge } from './pay-charge.js';

const leaseMs = 2 * 60_000;
const parallel = 8;
const hourMs = 3_600_000;
/** Time after an hour until its last sample is written. */
const lateMs = 3 * 60_000;
/** How often a service that waits for credits is looked at; a top-up wakes it at once. */
const waitMs = 60_000;
/** Credits for less than this are few. */
const warnHours = 24;

/**
 * Charge what metered services have used: every whole hour once, from credits. Each service is claimed by one replica; every
 * step has an id that follows from service and hour, so that a replica that dies, or is late, charges nothing twice.
 */
export async function meterServices(context: BillingContext, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: parallel }, async () => meterUntilDone(context, signal)));
}

async function meterUntilDone(context: BillingContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = context.clock();
    const service = await context.services.claimMetering(now, new Date(now.getTime() + leaseMs));
    if (!service) return;
    // What fails is tried again when its lease ends.
    await context.attempt('meter-services', service.id, async () => meterService(context, service));
  }
}

async function meterService(context: BillingContext, claimed: ServiceRecord): Promise<void> {
  const isComplete = await chargeHours(context, claimed);
  const service = (await context.services.get(claimed.id)) ?? claimed;
  const isPaid = await payOpen(context, service);
  await invoiceUsage(context, service, isComplete);
  const meterAt = isComplete && isEnded(service.status) ? null : await nextMeterAt(context, service, isPaid);
  await context.services.changeIf(service.id, {}, { set: { meterAt } });
}

/** Pay what is open, the oldest first; whether all of it is paid now. */
async function payOpen(context: BillingContext, service: ServiceRecord): Promise<boolean> {
  for (const charge of await context.usageCharges.open(service.id)) {
    if (!(await payCharge(context, charge))) return false;
  }
  return true;
}

/** Suspend, resume, warn or end, as the balance asks for; when to check again. */
async function nextMeterAt(context: BillingContext, service: ServiceRecord, isPaid: boolean): Promise<Date> {
  const { credits, clock } = context;
  const now = clock();
  const balance = await credits.balance(service.userId, service.plan.currency);
  const soon = new Date(now.getTime() + waitMs);
  const isWaiting = service.status === 'suspended' && service.suspendReason === 'balance';
  if (isWaiting && isPaid && balance > 0) await resume(context, service, now);
  else if (isWaiting) {
    const { terminateDays } = await context.settings.read();
    const isLong = service.suspendedAt !== null && addDaysTo(service.suspendedAt, terminateDays) <= now;
    if (isLong) await endService(context, service.id, 'terminated');
    return soon;
  } else if (service.status === 'active') {
    if (!isPaid || balance <= 0) {
      await suspend(context, service);
      return soon;
    }
    await warnWhenFew(context, service, balance, now);
  }
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs + hourMs + lateMs);
}

async function suspend(context: BillingContext, service: ServiceRecord): Promise<void> {
  try {
    await suspendService(context, service, 'balance');
  } catch (error) {
    // Another process has suspended or ended it.
    if (!isAppError(error, 'SERVICE_NOT_ACTIVE')) throw error;
  }
}

async function resume(context: BillingContext, service: ServiceRecord, at: Date): Promise<void> {
  await context.services.changeIf(
    service.id,
    { status: ['suspended'], suspendReason: 'balance' },
    {
      set: { status: 'active', suspendReason: null, suspendedAt: null },
      syncAt: at,
      mail: mailEntry(service.id, 'service_unsuspended', at, at.toISOString()),
    },
  );
  context.runJob('sync-servers');
}

/** One mail a day and customer while the balance does not last for another day at the pace of the last hour. */
async function warnWhenFew(context: BillingContext, service: ServiceRecord, balance: number, at: Date): Promise<void> {
  const last = await context.usageCharges.latest(service.id);
  if (!last) return;
  const hourMicros = await context.usageCharges.costOfHour(service.userId, last.currency, last.hour);
  if (hourMicros * warnHours <= balance * microsPerMinor) return;
  const mail = mailEntry(service.userId, 'credits_low', at, at.toISOString().slice(0, 10));
  await context.services.changeIf(service.id, { status: ['active'] }, { set: {}, mail });
}
