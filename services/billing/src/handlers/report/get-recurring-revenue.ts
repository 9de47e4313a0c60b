import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { readRecurringRevenue } from '../../usecases/reports/read-recurring-revenue.js';

export function handleGetRecurringRevenue(
  context: BillingContext,
): Handler<ReportServiceService['getRecurringRevenue']> {
  return async ({ fromMonth, toMonth }) => {
    const rows = await readRecurringRevenue(context, { fromMonth, toMonth });
    return {
      rows: rows.map((row) => ({
        month: row.month,
        recurringRevenue: presentMoney(row.recurringMinor, row.currency),
        activeServices: row.activeSubscriptions,
        newServices: row.newSubscriptions,
        endedServices: row.endedSubscriptions,
        churnBasisPoints: row.churnBasisPoints,
      })),
    };
  };
}
