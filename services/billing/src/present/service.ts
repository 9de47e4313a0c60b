import { Service as ServiceMessage, Service_Status } from '@panel/protos/billing';
import type { Subscription } from '../domain/subscription.js';
import { presentConfig } from './config.js';
import { presentMoney } from './money.js';
import { enumOf } from './words.js';

export function presentService(subscription: Subscription): ServiceMessage {
  const { plan, sync } = subscription;
  return ServiceMessage.create({
    id: subscription.id,
    userId: subscription.userId,
    orderId: subscription.orderId,
    productId: subscription.productId,
    productName: subscription.productName,
    planId: plan.id,
    planName: plan.name,
    status: enumOf(Service_Status, 'STATUS_', subscription.status),
    serverId: subscription.serverId,
    price: presentMoney(plan.priceMinor, plan.currency),
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    nextDueTime: subscription.nextDueAt ?? undefined,
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    error: sync.lastError,
    attempts: sync.attempts,
    nextAttemptTime: sync.dueAt ?? undefined,
    createTime: subscription.createdAt,
    endTime: subscription.endedAt ?? undefined,
    config: presentConfig(subscription.config),
    suspendReason: subscription.suspendReason ?? '',
  });
}
