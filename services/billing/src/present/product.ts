import { assertNever } from '@panel/kit/errors';
import {
  Plan as PlanMessage,
  Plan_Interval,
  Product as ProductMessage,
  ServerTemplate as ServerTemplateMessage,
} from '@panel/protos/billing';
import type { Plan, PlanInterval, Product, ServerTemplate } from '../domain/product.js';

export function presentProduct(product: Product): ProductMessage {
  return ProductMessage.create({
    id: product.id,
    name: product.name,
    slug: product.slug,
    description: product.description,
    category: product.category,
    active: product.active,
    stock: product.stock ?? undefined,
    perUserLimit: product.perUserLimit ?? undefined,
    plans: product.plans.map(presentPlan),
    server: presentServer(product.server),
    upgradeProductIds: [...product.upgradeProductIds],
    createTime: product.createdAt,
    updateTime: product.updatedAt,
  });
}

function presentPlan(plan: Plan): PlanMessage {
  return PlanMessage.create({
    id: plan.id,
    name: plan.name,
    price: { amountMinor: plan.priceMinor, currency: plan.currency },
    setupFee: { amountMinor: plan.setupFeeMinor, currency: plan.currency },
    interval: presentInterval(plan.interval),
    intervalCount: plan.intervalCount,
    usageRates: plan.usageRates ?? undefined,
  });
}

function presentInterval(interval: PlanInterval): Plan_Interval {
  switch (interval) {
    case 'day':
      return Plan_Interval.DAY;
    case 'week':
      return Plan_Interval.WEEK;
    case 'month':
      return Plan_Interval.MONTH;
    case 'year':
      return Plan_Interval.YEAR;
    case 'once':
      return Plan_Interval.ONCE;
    case 'free':
      return Plan_Interval.FREE;
    case 'metered':
      return Plan_Interval.METERED;
    default:
      return assertNever(interval);
  }
}

function presentServer(server: ServerTemplate): ServerTemplateMessage {
  return ServerTemplateMessage.create({
    eggId: server.eggId,
    memoryMb: server.memoryMb,
    cpuPercent: server.cpuPercent,
    diskMb: server.diskMb,
    swapMb: server.swapMb,
    ioWeight: server.ioWeight,
    databasesLimit: server.databasesLimit,
    backupsLimit: server.backupsLimit,
    allocationsLimit: server.allocationsLimit,
    nodeTags: [...server.nodeTags],
    environment: { ...server.environment },
    dockerImage: server.dockerImage ?? '',
    autoStart: server.autoStart,
    timezone: server.timezone,
    threads: server.threads,
    oomDisabled: server.oomDisabled,
    stopGraceSeconds: server.stopGraceSeconds,
  });
}
