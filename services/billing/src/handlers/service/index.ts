import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { serviceEvent } from '../../present/activity-events.js';
import { handleCancelService } from './cancel-service.js';
import { handleChangePlan } from './change-plan.js';
import { handleGetService } from './get-service.js';
import { handleListServices } from './list-services.js';
import { handleResumeService } from './resume-service.js';
import { handleRetryService } from './retry-service.js';
import { handleUpdateService } from './update-service.js';

export function serveServices(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(ServiceServiceService, {
    cancelService: withActivity(activity, handleCancelService(context), serviceEvent('billing:service.cancel')),
    changePlan: withActivity(activity, handleChangePlan(context), serviceEvent('billing:service.change-plan')),
    getService: handleGetService(context),
    listServices: handleListServices(context),
    resumeService: withActivity(activity, handleResumeService(context), serviceEvent('billing:service.resume')),
    retryService: withActivity(activity, handleRetryService(context), serviceEvent('billing:service.retry')),
    updateService: withActivity(activity, handleUpdateService(context), serviceEvent('billing:service.update')),
  });
}
