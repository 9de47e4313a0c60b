import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { readRevenue } from '../../usecases/reports/read-revenue.js';

export function handleGetRevenue(context: BillingContext): Handler<ReportServiceService['getRevenue']> {
  return async ({ fromMonth, toMonth }) => {
    const rows = await readRevenue(context, { fromMonth, toMonth });
    return {
      rows: rows.map(({ revenueMinor, currency, ...row }) => ({
        ...row,
        revenue: presentMoney(revenueMinor, currency),
      })),
    };
  };
}
