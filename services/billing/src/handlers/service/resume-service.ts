import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { resumeSubscription as resume } from '../../usecases/subscriptions/cancel-subscription.js';
import { loadSubscription } from '../load-owned.js';

export function resumeService(context: BillingContext): Handler<ServiceServiceService['resumeService']> {
  return async ({ serviceId }, call) => {
    const subscription = await loadSubscription(context, serviceId, call);
    return { service: presentService(await resume(context, subscription)) };
  };
}
