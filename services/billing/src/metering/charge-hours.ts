import { derivedId } from '@panel/rpc';
import type { HourlyUsage } from '@panel/protos/servers';
import type { UsageCharge } from '../domain/usage-charge.js';
import { isEnded, type SubscriptionRecord } from '../domain/subscription.js';
import type { MeteringDeps } from './dependencies.js';
import { monthOf } from '../domain/calendar.js';
import { taxFor } from '../domain/tax.js';
import { addUsage, costOfHour, noUsage, type UsedInHour } from '../domain/usage-price.js';

const hourMs = 3_600_000;
const timeoutMs = 10_000;

const floorHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs);

/** Charges complete hours only. True: the usage of an ended subscription is complete. */
export async function chargeHours(deps: MeteringDeps, subscription: SubscriptionRecord): Promise<boolean> {
  if (subscription.serverId === '') return isEnded(subscription.status);
  const from = subscription.meteredUntil ?? floorHour(subscription.anchorAt ?? subscription.createdAt);
  const until = deps.clock();
  const request = { serverIds: [subscription.serverId], fromTime: from, untilTime: until };
  const { servers } = await deps.usage.listHourlyUsage(request, { timeoutMs });
  const [usage] = servers;
  if (!usage?.completeUntilTime) return false;
  const complete = floorHour(usage.completeUntilTime);
  for (const hour of usage.hours) {
    if (hour.hourTime && hour.hourTime < complete) await chargeHour(deps, subscription, hour.hourTime, hour);
  }
  deps.failpoint('usage.charged');
  if (complete > from) {
    await deps.subscriptions.changeIf(
      subscription.id,
      { meteredUntil: subscription.meteredUntil },
      { set: { meteredUntil: complete } },
    );
  }
  return subscription.endedAt !== null && complete >= subscription.endedAt;
}

async function chargeHour(
  deps: MeteringDeps,
  subscription: SubscriptionRecord,
  hour: Date,
  { runningSeconds, memoryMbSeconds, diskMbSeconds, trafficBytes }: HourlyUsage,
): Promise<void> {
  const rates = subscription.plan.usageRates;
  if (!rates) return;
  const last = await deps.usageCharges.latest(subscription.id);
  if (last && last.hour >= hour) return;
  const used: UsedInHour = { runningSeconds, memoryMbSeconds, diskMbSeconds, trafficBytes };
  const costMicros = isFree(subscription, hour) ? 0 : costOfHour(used, rates);
  const month = monthOf(hour);
  const before = last?.month === month ? last.total : noUsage;
  const profile = await deps.profiles.get(subscription.userId);
  const total = addUsage(before, costMicros, rates, taxFor(profile, await deps.settings.read(), hour));
  const amountMinor = total.grossMinor - before.grossMinor;
  const charge: UsageCharge = {
    id: derivedId(subscription.id, `usage ${hour.toISOString()}`),
    subscriptionId: subscription.id,
    userId: subscription.userId,
    currency: subscription.plan.currency,
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
  await deps.usageCharges.insertIfAbsent(charge);
}

/** While suspended for lack of credits. */
function isFree({ suspendReasons, suspendedAt }: SubscriptionRecord, hour: Date): boolean {
  return suspendReasons.includes('balance') && suspendedAt !== null && hour >= suspendedAt;
}
