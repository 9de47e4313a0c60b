import { type Handler, presentEach } from '@panel/rpc';
import { Service, type ServiceServiceService } from '@panel/protos/billing';
import { parsePage } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import { presentService } from '../../present/service.js';
import { listSubscriptions } from '../../usecases/subscriptions/list-subscriptions.js';
import { pageInfo, readScope, readSubscriptionStatus } from '../read-request.js';

export function handleListServices(context: BillingContext): Handler<ServiceServiceService['listServices']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', next_due_at: 'nextDueAt' });
    const filter = { ...readScope(request), status: readSubscriptionStatus(request.status) };
    const { subscriptions, total } = await listSubscriptions(context, filter, page, call);
    return { services: presentEach(call, subscriptions, presentService, Service), page: pageInfo(page, total) };
  };
}
