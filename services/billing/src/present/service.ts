import { Service as ServiceMessage, Service_Status } from '@panel/protos/billing';
import type { Service } from '../domain/service.js';
import { presentConfig } from './config.js';
import { presentMoney } from './money.js';
import { enumOf } from './words.js';

export function presentService(service: Service): ServiceMessage {
  const { plan, sync } = service;
  return ServiceMessage.create({
    id: service.id,
    userId: service.userId,
    orderId: service.orderId,
    productId: service.productId,
    productName: service.productName,
    planId: plan.id,
    planName: plan.name,
    status: enumOf(Service_Status, 'STATUS_', service.status),
    serverId: service.serverId,
    price: presentMoney(plan.priceMinor, plan.currency),
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    nextDueTime: service.nextDueAt ?? undefined,
    cancelAtPeriodEnd: service.cancelAtPeriodEnd,
    error: sync.lastError,
    attempts: sync.attempts,
    nextAttemptTime: sync.dueAt ?? undefined,
    createTime: service.createdAt,
    endTime: service.endedAt ?? undefined,
    config: presentConfig(service.config),
    suspendReason: service.suspendReason ?? '',
  });
}
