import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { retrySubscription } from '../../usecases/subscriptions/retry-subscription.js';
import { getSubscription } from '../../usecases/subscriptions/get-subscription.js';

export function handleRetryService(context: BillingContext): Handler<ServiceServiceService['retryService']> {
  return async ({ serviceId }, call) => {
    const subscription = await getSubscription(context, serviceId, call);
    return { service: presentService(await retrySubscription(context, subscription)) };
  };
}
