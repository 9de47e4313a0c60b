import type { Handler } from '@panel/rpc';
import type { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { resumeService as resume } from '../../usecases/services/cancel-service.js';
import { loadService } from '../load-owned.js';

export function resumeService(context: BillingContext): Handler<ServiceServiceService['resumeService']> {
  return async ({ serviceId }, call) => {
    const service = await loadService(context, serviceId, call);
    return { service: presentService(await resume(context, service)) };
  };
}
