import { derivedId } from '@panel/rpc';
import type { HourlyUsage } from '@panel/protos/servers';
import type { BillingContext } from '../../context.js';
import { monthOf } from '../../domain/calendar.js';
import { isEnded } from '../../domain/subscription.js';
import { taxRateFor } from '../../domain/tax.js';
import { addUsage, costOfHour, noUsage, type UsedInHour } from '../../domain/usage-price.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import type { UsageCharge } from '../../models/usage-charge.js';

const hourMs = 3_600_000;
const timeoutMs = 10_000;

const floorHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs);

/**
 * Store a charge for every hour of usage that is complete and has none. Whether the usage of a subscription that has ended is known
 * to its end.
 */
export async function chargeHours(context: BillingContext, subscription: SubscriptionRecord): Promise<boolean> {
  if (subscription.serverId === '') return isEnded(subscription.status);
  const from = subscription.meteredUntil ?? floorHour(subscription.anchorAt ?? subscription.createdAt);
  const until = context.clock();
  const request = { serverIds: [subscription.serverId], fromTime: from, untilTime: until };
  const { servers } = await context.usage.listHourlyUsage(request, { timeoutMs });
  const [usage] = servers;
  if (!usage?.completeUntilTime) return false;
  const complete = floorHour(usage.completeUntilTime);
  for (const hour of usage.hours) {
    if (hour.hourTime && hour.hourTime < complete) await chargeHour(context, subscription, hour.hourTime, hour);
  }
  context.failpoint('usage.charged');
  if (complete > from) {
    await context.subscriptions.changeIf(
      subscription.id,
      { meteredUntil: subscription.meteredUntil },
      { set: { meteredUntil: complete } },
    );
  }
  return subscription.endedAt !== null && complete >= subscription.endedAt;
}

async function chargeHour(
  context: BillingContext,
  subscription: SubscriptionRecord,
  hour: Date,
  { runningSeconds, memoryMbSeconds, diskMbSeconds, trafficBytes }: HourlyUsage,
): Promise<void> {
  const rates = subscription.plan.usageRates;
  if (!rates) return;
  const last = await context.usageCharges.latest(subscription.id);
  if (last && last.hour >= hour) return;
  const used: UsedInHour = { runningSeconds, memoryMbSeconds, diskMbSeconds, trafficBytes };
  const costMicros = isFree(subscription, hour) ? 0 : costOfHour(used, rates);
  const month = monthOf(hour);
  const before = last?.month === month ? last.total : noUsage;
  const { country } = await context.profiles.get(subscription.userId);
  const total = addUsage(before, costMicros, rates, taxRateFor(country, await context.settings.read()));
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
  await context.usageCharges.insertIfAbsent(charge);
}

/** While a subscription waits for credits it owes nothing more: its files are retained until it is ended. */
function isFree({ suspendReason, suspendedAt }: SubscriptionRecord, hour: Date): boolean {
  return suspendReason === 'balance' && suspendedAt !== null && hour >= suspendedAt;
}
