import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { wordOf } from '../../present/words.js';
import { updateService as update } from '../../usecases/services/update-service.js';
import { loadService } from '../load-owned.js';

export function updateService(context: BillingContext): Handler<ServiceServiceService['updateService']> {
  return async ({ serviceId, price, nextDueTime, action }, call) => {
    const service = await loadService(context, serviceId, call);
    const updated = await update(context, service, {
      price: price ?? null,
      nextDueAt: nextDueTime ?? null,
      action: wordOf(action, 'ACTION_', ['suspend', 'unsuspend', 'terminate']),
    });
    return { service: presentService(updated) };
  };
}
