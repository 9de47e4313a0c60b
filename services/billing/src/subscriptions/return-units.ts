import { counterKey } from '../domain/new-order.js';
import type { Unit } from '../domain/subscription.js';
import type { SubscriptionDeps } from './dependencies.js';

/** To stock and the customer's limit, once each. */
export async function returnUnits(deps: SubscriptionDeps, signal: AbortSignal): Promise<void> {
  for (const { id, unitsDue = [], userId } of await deps.subscriptions.dueReturns(100)) {
    for (const unit of unitsDue) {
      if (signal.aborted) return;
      await deps.attempt('return-units', id, async () => {
        await returnUnit(deps, unit, userId);
        await deps.subscriptions.endReturn(id, unit.id);
      });
    }
  }
}

/** Its hold ends first: the sweep would release it. */
async function returnUnit({ products, counters }: SubscriptionDeps, { id, productId }: Unit, userId: string) {
  const key = counterKey.product(productId, userId);
  await products.stock.confirm(productId, id);
  await products.stock.returnUnits(productId, id, 1);
  await counters.confirm(key, id);
  await counters.returnUnits(key, id, 1);
}
