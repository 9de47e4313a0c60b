import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { presentService } from '../../present/service.js';
import { changePlan } from '../../usecases/subscriptions/change-plan.js';
import { getSubscription } from '../../usecases/subscriptions/get-subscription.js';

export function handleChangePlan(context: BillingContext): Handler<ServiceServiceService['changePlan']> {
  return async ({ serviceId, productId, planId, paymentMethod }, call) => {
    const found = await getSubscription(context, serviceId, call);
    const outcome = await changePlan(context, found, { productId, planId, paymentMethod });
    const { subscription, invoice, proratedMinor, paymentUrl } = outcome;
    return {
      service: presentService(subscription),
      invoiceId: invoice?.id ?? '',
      prorated: presentMoney(proratedMinor, subscription.plan.currency),
      paymentUrl,
    };
  };
}
