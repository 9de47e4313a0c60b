import { enumOf, messageFields } from '@panel/kit/records';
import { type Service as ServiceMessage, Service_Status } from '@panel/protos/billing';
import { firstReasonOf, type Subscription } from '../domain/subscription.js';
import { presentMoney } from './money.js';

export function presentService(subscription: Subscription): ServiceMessage {
  const { plan, sync, priceChange } = subscription;
  return {
    ...messageFields(subscription),
    planId: plan.id,
    planName: plan.name,
    status: enumOf(Service_Status, subscription.status),
    price: presentMoney(plan.priceMinor, plan.currency),
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    priceChange: priceChange
      ? { price: presentMoney(priceChange.priceMinor, plan.currency), startTime: priceChange.from }
      : undefined,
    nextDueTime: subscription.nextDueAt ?? undefined,
    error: sync.lastError,
    attempts: sync.attempts,
    nextAttemptTime: sync.dueAt ?? undefined,
    createTime: subscription.createdAt,
    endTime: subscription.endedAt ?? undefined,
    suspendReason: firstReasonOf(subscription.suspendReasons) ?? '',
  };
}
