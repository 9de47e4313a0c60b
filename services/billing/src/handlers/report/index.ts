import { serve, type ServedService } from '@panel/rpc';
import { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { getRecurringRevenueHandler } from './get-recurring-revenue.js';
import { getRevenueHandler } from './get-revenue.js';
import { listDiscrepanciesHandler } from './list-discrepancies.js';

export function serveReports(context: BillingContext): ServedService {
  return serve(ReportServiceService, {
    getRecurringRevenue: getRecurringRevenueHandler(context),
    getRevenue: getRevenueHandler(context),
    listDiscrepancies: listDiscrepanciesHandler(context),
  });
}
