import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { resumeSubscription } from '../../usecases/subscriptions/resume-subscription.js';
import { getSubscription } from '../../usecases/subscriptions/get-subscription.js';

export function handleResumeService(context: BillingContext): Handler<ServiceServiceService['resumeService']> {
  return async ({ serviceId }, call) => {
    const subscription = await getSubscription(context, serviceId, call);
    return { service: presentService(await resumeSubscription(context, subscription)) };
  };
}
