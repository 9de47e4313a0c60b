import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { getSubscription } from '../../usecases/subscriptions/get-subscription.js';

export function handleGetService(context: BillingContext): Handler<ServiceServiceService['getService']> {
  return async ({ serviceId }, call) => ({ service: presentService(await getSubscription(context, serviceId, call)) });
}
