import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { retrySubscription as retry } from '../../usecases/subscriptions/update-subscription.js';
import { loadSubscription } from '../load-owned.js';

export function retryService(context: BillingContext): Handler<ServiceServiceService['retryService']> {
  return async ({ serviceId }, call) => {
    const subscription = await loadSubscription(context, serviceId, call);
    return { service: presentService(await retry(context, subscription)) };
  };
}
