import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { retryService as retry } from '../../usecases/services/update-service.js';
import { loadService } from '../load-owned.js';

export function retryService(context: BillingContext): Handler<ServiceServiceService['retryService']> {
  return async ({ serviceId }, call) => {
    const service = await loadService(context, serviceId, call);
    return { service: presentService(await retry(context, service)) };
  };
}
