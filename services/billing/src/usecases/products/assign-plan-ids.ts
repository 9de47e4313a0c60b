import { randomUUID } from 'node:crypto';
import type { Plan } from '../../domain/product.js';

/** New plans come without an id. */
export function assignPlanIds(plans: readonly Plan[]): Plan[] {
  return plans.map((plan) => ({ ...plan, id: plan.id || randomUUID() }));
}
