import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { presentMoney } from '../../present/money.js';
import { changePlan as change } from '../../usecases/subscriptions/change-plan.js';
import { loadSubscription } from '../load-owned.js';

export function changePlan(context: BillingContext): Handler<ServiceServiceService['changePlan']> {
  return async ({ serviceId, productId, planId, paymentMethod }, call) => {
    const found = await loadSubscription(context, serviceId, call);
    const outcome = await change(context, found, { productId, planId, paymentMethod });
    const { subscription, invoice, proratedMinor, paymentUrl } = outcome;
    return {
      service: presentService(subscription),
      invoiceId: invoice?.id ?? '',
      prorated: presentMoney(proratedMinor, subscription.plan.currency),
      paymentUrl,
    };
  };
}
