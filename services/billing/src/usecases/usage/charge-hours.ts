import { derivedId } from '@panel/rpc';
import type { HourlyUsage } from '@panel/protos/servers';
import type { BillingContext } from '../../context.js';
import { monthOf } from '../../domain/calendar.js';
import { isEnded } from '../../domain/service.js';
import { taxRateFor } from '../../domain/tax.js';
import { addUsage, costOfHour, noUsage, type UsedInHour } from '../../domain/usage-price.js';
import type { ServiceRecord } from '../../models/service.js';
import type { UsageCharge } from '../../models/usage-charge.js';

const hourMs = 3_600_000;
const timeoutMs = 10_000;

const floorHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs);

/**
 * Store a charge for every hour of usage that is complete and has none. Whether the usage of a service that has ended is known
 * to its end.
 */
export async function chargeHours(context: BillingContext, service: ServiceRecord): Promise<boolean> {
  if (service.serverId === '') return isEnded(service.status);
  const from = service.meteredUntil ?? floorHour(service.anchorAt ?? service.createdAt);
  const until = context.clock();
  const request = { serverIds: [service.serverId], fromTime: from, untilTime: until };
  const { servers } = await context.usage.listHourlyUsage(request, { timeoutMs });
  const [usage] = servers;
  if (!usage?.completeUntilTime) return false;
  const complete = floorHour(usage.completeUntilTime);
  for (const hour of usage.hours) {
    if (hour.hourTime && hour.hourTime < complete) await chargeHour(context, service, hour.hourTime, hour);
  }
  context.failpoint('usage.charged');
  if (complete > from) {
    await context.services.changeIf(
      service.id,
      { meteredUntil: service.meteredUntil },
      { set: { meteredUntil: complete } },
    );
  }
  return service.endedAt !== null && complete >= service.endedAt;
}

async function chargeHour(
  context: BillingContext,
  service: ServiceRecord,
  hour: Date,
  { runningSeconds, memoryMbSeconds, diskMbSeconds, trafficBytes }: HourlyUsage,
): Promise<void> {
  const rates = service.plan.usageRates;
  if (!rates) return;
  const last = await context.usageCharges.latest(service.id);
  if (last && last.hour >= hour) return;
  const used: UsedInHour = { runningSeconds, memoryMbSeconds, diskMbSeconds, trafficBytes };
  const costMicros = isFree(service, hour) ? 0 : costOfHour(used, rates);
  const month = monthOf(hour);
  const before = last?.month === month ? last.total : noUsage;
  const { country } = await context.profiles.get(service.userId);
  const total = addUsage(before, costMicros, rates, taxRateFor(country, await context.settings.read()));
  const amountMinor = total.grossMinor - before.grossMinor;
  const charge: UsageCharge = {
    id: derivedId(service.id, `usage ${hour.toISOString()}`),
    serviceId: service.id,
    userId: service.userId,
    currency: service.plan.currency,
    hour,
    month,
    used,
    costMicros,
    total,
    amountMinor,
    openMinor: amountMinor,
    payments: 0,
    invoiceId: '',
  };
  await context.usageCharges.insertOnce(charge);
}

/** While a service waits for credits it owes nothing more: its files are kept until it is ended. */
function isFree({ suspendReason, suspendedAt }: ServiceRecord, hour: Date): boolean {
  return suspendReason === 'balance' && suspendedAt !== null && hour >= suspendedAt;
}
