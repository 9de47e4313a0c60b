import { isAppError } from '@panel/kit/errors';
import { mailEntry } from '../domain/mail.js';
import { isEnded, type SubscriptionRecord } from '../domain/subscription.js';
import type { MeteringDeps } from './dependencies.js';
import { addDaysTo } from '../domain/calendar.js';
import { microsPerMinor } from '../domain/usage-price.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import { liftSuspension, suspendSubscription } from '../subscriptions/suspend-subscription.js';
import { chargeHours } from './charge-hours.js';
import { invoiceUsage } from './invoice-usage.js';
import { payCharge } from './pay-charge.js';

const leaseMs = 2 * 60_000;
const parallel = 8;
const hourMs = 3_600_000;
/** The last sample of an hour is written by then. */
const lateMs = 3 * 60_000;
/** While credits are missing; a top-up wakes at once. */
const waitMs = 60_000;
/** Credits for less than this are low. */
const warnHours = 24;

/** Charges each whole hour once, from credits. One replica per subscription; derived ids prevent double charges. */
export async function meterSubscriptions(deps: MeteringDeps, signal: AbortSignal): Promise<void> {
  const claimNext = async () => (signal.aborted ? null : claimMetering(deps));
  const meterFrom = async (first: SubscriptionRecord | null) => {
    for (let claimed = first; claimed; claimed = await claimNext()) await meterClaimed(deps, claimed);
  };
  // Mostly none is due: then one claim is enough.
  const first = await claimNext();
  if (!first) return;
  const others = Array.from({ length: parallel - 1 }, async () => meterFrom(await claimNext()));
  await Promise.all([meterFrom(first), ...others]);
}

async function claimMetering({ subscriptions, clock }: MeteringDeps): Promise<SubscriptionRecord | null> {
  const now = clock();
  return subscriptions.claimMetering(now, new Date(now.getTime() + leaseMs));
}

/** Failures are retried when the lease ends. */
async function meterClaimed(deps: MeteringDeps, claimed: SubscriptionRecord): Promise<void> {
  await deps.attempt('meter-subscriptions', claimed.id, async () => meterSubscription(deps, claimed));
}

async function meterSubscription(deps: MeteringDeps, claimed: SubscriptionRecord): Promise<void> {
  const isComplete = await chargeHours(deps, claimed);
  const subscription = (await deps.subscriptions.get(claimed.id)) ?? claimed;
  const isFinal = isComplete && isEnded(subscription.status);
  const isPaid = await payOpen(deps, subscription, isFinal);
  await invoiceUsage(deps, subscription, isFinal);
  const meterAt = isFinal ? null : await nextMeterAt(deps, subscription, isPaid);
  await deps.subscriptions.changeIf(subscription.id, {}, { set: { meterAt } });
}

/** Oldest first. True: all paid. `isFinal`: nothing more is waited for, the rest becomes a debt. */
async function payOpen(deps: MeteringDeps, subscription: SubscriptionRecord, isFinal: boolean): Promise<boolean> {
  for (const charge of await deps.usageCharges.open(subscription.id)) {
    if (!(await payCharge(deps, charge, isFinal))) return false;
  }
  return true;
}

/** Returns the next check. */
async function nextMeterAt(deps: MeteringDeps, subscription: SubscriptionRecord, isPaid: boolean): Promise<Date> {
  const { credits, clock } = deps;
  const now = clock();
  const balance = await credits.balance(subscription.userId, subscription.plan.currency);
  const soon = new Date(now.getTime() + waitMs);
  const isWaiting = subscription.suspendReasons.includes('balance');
  if (isWaiting && isPaid && balance > 0) await liftSuspension(deps, subscription.id, 'balance');
  else if (isWaiting) {
    const { terminateDays } = await deps.settings.read();
    const isLong = subscription.suspendedAt !== null && addDaysTo(subscription.suspendedAt, terminateDays) <= now;
    if (isLong) await endSubscription(deps, subscription.id, 'terminated', 'unpaid');
    return soon;
  } else if (subscription.status === 'active') {
    if (!isPaid || balance <= 0) {
      await suspend(deps, subscription);
      return soon;
    }
    await warnWhenFew(deps, subscription, balance, now);
  }
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs + hourMs + lateMs);
}

async function suspend(deps: MeteringDeps, subscription: SubscriptionRecord): Promise<void> {
  try {
    await suspendSubscription(deps, subscription, 'balance');
  } catch (error) {
    // Another process suspended or ended it.
    if (!isAppError(error, 'SERVICE_NOT_ACTIVE')) throw error;
  }
}

/** At most one mail a day and customer, below a day's credits at the latest rate. */
async function warnWhenFew(
  deps: MeteringDeps,
  subscription: SubscriptionRecord,
  balance: number,
  at: Date,
): Promise<void> {
  const last = await deps.usageCharges.latest(subscription.id);
  if (!last) return;
  const hourMicros = await deps.usageCharges.costOfHour(subscription.userId, last.currency, last.hour);
  if (hourMicros * warnHours <= balance * microsPerMinor) return;
  const mail = mailEntry(subscription.userId, 'credits_low', at, at.toISOString().slice(0, 10));
  await deps.subscriptions.changeIf(subscription.id, { status: ['active'] }, { set: {}, mail });
}
