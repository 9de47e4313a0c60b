import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { loadSubscription } from '../load-owned.js';

export function getService(context: BillingContext): Handler<ServiceServiceService['getService']> {
  return async ({ serviceId }, call) => ({
    service: presentService(await loadSubscription(context, serviceId, call)),
  });
}
