import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { cancelSubscription as cancel } from '../../usecases/subscriptions/cancel-subscription.js';
import { loadSubscription } from '../load-owned.js';

export function cancelService(context: BillingContext): Handler<ServiceServiceService['cancelService']> {
  return async ({ serviceId, immediately }, call) => {
    const subscription = await loadSubscription(context, serviceId, call);
    return { service: presentService(await cancel(context, subscription, immediately)) };
  };
}
