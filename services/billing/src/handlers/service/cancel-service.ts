import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { cancelService as cancel } from '../../usecases/services/cancel-service.js';
import { loadService } from '../load-owned.js';

export function cancelService(context: BillingContext): Handler<ServiceServiceService['cancelService']> {
  return async ({ serviceId, immediately }, call) => {
    const service = await loadService(context, serviceId, call);
    return { service: presentService(await cancel(context, service, immediately)) };
  };
}
