import { counterKey } from '../domain/new-order.js';
import type { SubscriptionDeps } from './dependencies.js';

/** To stock and the customer's limit, once each. */
export async function returnUnits(deps: SubscriptionDeps, signal: AbortSignal): Promise<void> {
  const { subscriptions, products, counters } = deps;
  for (const { id, unitProductId, userId } of await subscriptions.dueReturns(100)) {
    if (signal.aborted) return;
    await deps.attempt('return-units', id, async () => {
      await products.stock.returnUnits(unitProductId, id, 1);
      await counters.returnUnits(counterKey.product(unitProductId, userId), id, 1);
      await subscriptions.changeIf(id, {}, { set: { returnDue: false } });
    });
  }
}
