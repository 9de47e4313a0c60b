import { enumOf, messageFields } from '@panel/kit/records';
import { type Plan as PlanMessage, Plan_Interval, type Product as ProductMessage } from '@panel/protos/billing';
import type { Plan, Product } from '../domain/product.js';
import { presentMoney } from './money.js';

export function presentProduct(product: Product): ProductMessage {
  const { server } = product;
  return {
    ...messageFields(product),
    plans: product.plans.map(presentPlan),
    server: { ...messageFields(server), dockerImage: server.dockerImage ?? '' },
    createTime: product.createdAt,
    updateTime: product.updatedAt,
  };
}

function presentPlan(plan: Plan): PlanMessage {
  return {
    ...messageFields(plan),
    price: presentMoney(plan.priceMinor, plan.currency),
    setupFee: presentMoney(plan.setupFeeMinor, plan.currency),
    interval: enumOf(Plan_Interval, plan.interval),
  };
}
