import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { cancelSubscription } from '../../usecases/subscriptions/cancel-subscription.js';
import { getSubscription } from '../../usecases/subscriptions/get-subscription.js';

export function handleCancelService(context: BillingContext): Handler<ServiceServiceService['cancelService']> {
  return async ({ serviceId, immediately }, call) => {
    const subscription = await getSubscription(context, serviceId, call);
    return { service: presentService(await cancelSubscription(context, subscription, immediately)) };
  };
}
