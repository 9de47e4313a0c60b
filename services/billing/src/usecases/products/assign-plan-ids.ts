import { randomUUID } from 'node:crypto';
import type { Plan } from '../../domain/product.js';

/** Plans with an id each: new ones come without. */
export function assignPlanIds(plans: readonly Plan[]): Plan[] {
  return plans.map((plan) => ({ ...plan, id: plan.id || randomUUID() }));
}
