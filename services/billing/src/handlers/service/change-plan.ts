import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { presentMoney } from '../../present/money.js';
import { changePlan as change } from '../../usecases/services/change-plan.js';
import { loadService } from '../load-owned.js';

export function changePlan(context: BillingContext): Handler<ServiceServiceService['changePlan']> {
  return async ({ serviceId, productId, planId, paymentMethod }, call) => {
    const found = await loadService(context, serviceId, call);
    const outcome = await change(context, found, { productId, planId, paymentMethod });
    const { service, invoice, proratedMinor, paymentUrl } = outcome;
    return {
      service: presentService(service),
      invoiceId: invoice?.id ?? '',
      prorated: presentMoney(proratedMinor, service.plan.currency),
      paymentUrl,
    };
  };
}
