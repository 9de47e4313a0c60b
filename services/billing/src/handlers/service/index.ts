import { serve, type ServedService } from '@panel/rpc';
import { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { serviceEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { handleCancelService } from './cancel-service.js';
import { handleChangePlan } from './change-plan.js';
import { handleGetService } from './get-service.js';
import { handleListServices } from './list-services.js';
import { handleResumeService } from './resume-service.js';
import { handleRetryService } from './retry-service.js';
import { handleUpdateService } from './update-service.js';

export function serveServices(context: BillingContext): ServedService {
  return serve(ServiceServiceService, {
    cancelService: withActivity(context, handleCancelService(context), serviceEvent('billing:service.cancel')),
    changePlan: withActivity(context, handleChangePlan(context), serviceEvent('billing:service.change-plan')),
    getService: handleGetService(context),
    listServices: handleListServices(context),
    resumeService: withActivity(context, handleResumeService(context), serviceEvent('billing:service.resume')),
    retryService: withActivity(context, handleRetryService(context), serviceEvent('billing:service.retry')),
    updateService: withActivity(context, handleUpdateService(context), serviceEvent('billing:service.update')),
  });
}
