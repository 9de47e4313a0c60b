import { type Handler, presentEach } from '@panel/rpc';
import { Service, type ServiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { parsePage } from '@panel/kit/mongo';
import { presentService } from '../../present/service.js';
import { pageInfo, readScope, readServiceStatus, statusFilter } from '../read-request.js';

export function listServices(context: BillingContext): Handler<ServiceServiceService['listServices']> {
  return async (request, call) => {
    const filter = { ...readScope(call, request), ...statusFilter(readServiceStatus(request.status)) };
    const page = parsePage(request.page, { created_at: 'createdAt', next_due_at: 'nextDueAt' });
    const { services, total } = await context.services.list(filter, page);
    return { services: presentEach(call, services, presentService, Service), page: pageInfo(page, total) };
  };
}
