import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { wordOf } from '../../present/words.js';
import { updateSubscription as update } from '../../usecases/subscriptions/update-subscription.js';
import { loadSubscription } from '../load-owned.js';

export function updateService(context: BillingContext): Handler<ServiceServiceService['updateService']> {
  return async ({ serviceId, price, nextDueTime, action }, call) => {
    const subscription = await loadSubscription(context, serviceId, call);
    const updated = await update(context, subscription, {
      price: price ?? null,
      nextDueAt: nextDueTime ?? null,
      action: wordOf(action, 'ACTION_', ['suspend', 'unsuspend', 'terminate']),
    });
    return { service: presentService(updated) };
  };
}
