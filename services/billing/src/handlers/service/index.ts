import { serve, type ServedService } from '@panel/rpc';
import { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { serviceEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { cancelServiceHandler } from './cancel-service.js';
import { changePlanHandler } from './change-plan.js';
import { getServiceHandler } from './get-service.js';
import { listServicesHandler } from './list-services.js';
import { resumeServiceHandler } from './resume-service.js';
import { retryServiceHandler } from './retry-service.js';
import { updateServiceHandler } from './update-service.js';

export function serveServices(context: BillingContext): ServedService {
  return serve(ServiceServiceService, {
    cancelService: withActivity(context, cancelServiceHandler(context), serviceEvent('billing:service.cancel')),
    changePlan: withActivity(context, changePlanHandler(context), serviceEvent('billing:service.change-plan')),
    getService: getServiceHandler(context),
    listServices: listServicesHandler(context),
    resumeService: withActivity(context, resumeServiceHandler(context), serviceEvent('billing:service.resume')),
    retryService: withActivity(context, retryServiceHandler(context), serviceEvent('billing:service.retry')),
    updateService: withActivity(context, updateServiceHandler(context), serviceEvent('billing:service.update')),
  });
}
