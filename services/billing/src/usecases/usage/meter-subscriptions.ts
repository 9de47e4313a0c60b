import { isAppError } from '@panel/kit';
import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import { isEnded } from '../../domain/subscription.js';
import { microsPerMinor } from '../../domain/usage-price.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import { mailEntry } from '../mail/mail-entry.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { suspendSubscription } from '../subscriptions/update-subscription.js';
import { chargeHours } from './charge-hours.js';
import { invoiceUsage } from './invoice-usage.js';
import { payCharge } from './pay-charge.js';

const leaseMs = 2 * 60_000;
const parallel = 8;
const hourMs = 3_600_000;
/** Time after an hour until its last sample is written. */
const lateMs = 3 * 60_000;
/** How often a subscription that waits for credits is looked at; a top-up wakes it at once. */
const waitMs = 60_000;
/** Credits for less than this are few. */
const warnHours = 24;

/**
 * Charge what metered subscriptions have used: every whole hour once, from credits. Each subscription is claimed by one replica; every
 * step has an id that follows from subscription and hour, so that a replica that dies, or is late, charges nothing twice.
 */
export async function meterSubscriptions(context: BillingContext, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: parallel }, async () => meterUntilDone(context, signal)));
}

async function meterUntilDone(context: BillingContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = context.clock();
    const subscription = await context.subscriptions.claimMetering(now, new Date(now.getTime() + leaseMs));
    if (!subscription) return;
    // What fails is tried again when its lease ends.
    await context.attempt('meter-subscriptions', subscription.id, async () => meterSubscription(context, subscription));
  }
}

async function meterSubscription(context: BillingContext, claimed: SubscriptionRecord): Promise<void> {
  const isComplete = await chargeHours(context, claimed);
  const subscription = (await context.subscriptions.get(claimed.id)) ?? claimed;
  const isPaid = await payOpen(context, subscription);
  await invoiceUsage(context, subscription, isComplete);
  const meterAt = isComplete && isEnded(subscription.status) ? null : await nextMeterAt(context, subscription, isPaid);
  await context.subscriptions.changeIf(subscription.id, {}, { set: { meterAt } });
}

/** Pay what is open, the oldest first; whether all of it is paid now. */
async function payOpen(context: BillingContext, subscription: SubscriptionRecord): Promise<boolean> {
  for (const charge of await context.usageCharges.open(subscription.id)) {
    if (!(await payCharge(context, charge))) return false;
  }
  return true;
}

/** Suspend, resume, warn or end, as the balance asks for; when to check again. */
async function nextMeterAt(context: BillingContext, subscription: SubscriptionRecord, isPaid: boolean): Promise<Date> {
  const { credits, clock } = context;
  const now = clock();
  const balance = await credits.balance(subscription.userId, subscription.plan.currency);
  const soon = new Date(now.getTime() + waitMs);
  const isWaiting = subscription.status === 'suspended' && subscription.suspendReason === 'balance';
  if (isWaiting && isPaid && balance > 0) await resume(context, subscription, now);
  else if (isWaiting) {
    const { terminateDays } = await context.settings.read();
    const isLong = subscription.suspendedAt !== null && addDaysTo(subscription.suspendedAt, terminateDays) <= now;
    if (isLong) await endSubscription(context, subscription.id, 'terminated');
    return soon;
  } else if (subscription.status === 'active') {
    if (!isPaid || balance <= 0) {
      await suspend(context, subscription);
      return soon;
    }
    await warnWhenFew(context, subscription, balance, now);
  }
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs + hourMs + lateMs);
}

async function suspend(context: BillingContext, subscription: SubscriptionRecord): Promise<void> {
  try {
    await suspendSubscription(context, subscription, 'balance');
  } catch (error) {
    // Another process has suspended or ended it.
    if (!isAppError(error, 'SERVICE_NOT_ACTIVE')) throw error;
  }
}

async function resume(context: BillingContext, subscription: SubscriptionRecord, at: Date): Promise<void> {
  await context.subscriptions.changeIf(
    subscription.id,
    { status: ['suspended'], suspendReason: 'balance' },
    {
      set: { status: 'active', suspendReason: null, suspendedAt: null },
      syncAt: at,
      mail: mailEntry(subscription.id, 'subscription_unsuspended', at, at.toISOString()),
    },
  );
  context.runJob('sync-servers');
}

/** One mail a day and customer while the balance does not last for another day at the pace of the last hour. */
async function warnWhenFew(
  context: BillingContext,
  subscription: SubscriptionRecord,
  balance: number,
  at: Date,
): Promise<void> {
  const last = await context.usageCharges.latest(subscription.id);
  if (!last) return;
  const hourMicros = await context.usageCharges.costOfHour(subscription.userId, last.currency, last.hour);
  if (hourMicros * warnHours <= balance * microsPerMinor) return;
  const mail = mailEntry(subscription.userId, 'credits_low', at, at.toISOString().slice(0, 10));
  await context.subscriptions.changeIf(subscription.id, { status: ['active'] }, { set: {}, mail });
}
