import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { getSubscription } from '../../usecases/subscriptions/get-subscription.js';
import { updateSubscription } from '../../usecases/subscriptions/update-subscription.js';
import { readSubscriptionUpdate } from '../read-request.js';

export function handleUpdateService(context: BillingContext): Handler<ServiceServiceService['updateService']> {
  return async (request, call) => {
    const subscription = await getSubscription(context, request.serviceId, call);
    return {
      service: presentService(await updateSubscription(context, subscription, readSubscriptionUpdate(request))),
    };
  };
}
