import { serve, type ServedService } from '@panel/rpc';
import { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { handleGetRecurringRevenue } from './get-recurring-revenue.js';
import { handleGetRevenue } from './get-revenue.js';
import { handleGetTax } from './get-tax.js';
import { handleListDiscrepancies } from './list-discrepancies.js';

export function serveReports(context: BillingContext): ServedService {
  return serve(ReportServiceService, {
    getRecurringRevenue: handleGetRecurringRevenue(context),
    getRevenue: handleGetRevenue(context),
    getTax: handleGetTax(context),
    listDiscrepancies: handleListDiscrepancies(context),
  });
}
