import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { readRecurringRevenue } from '../../usecases/reports/read-recurring-revenue.js';

export function getRecurringRevenue(context: BillingContext): Handler<ReportServiceService['getRecurringRevenue']> {
  return async ({ fromMonth, toMonth }) => {
    const rows = await readRecurringRevenue(context, { fromMonth, toMonth });
    return {
      rows: rows.map(
        ({ recurringMinor, currency, activeSubscriptions, newSubscriptions, endedSubscriptions, ...row }) => ({
          ...row,
          activeServices: activeSubscriptions,
          newServices: newSubscriptions,
          endedServices: endedSubscriptions,
          recurringRevenue: presentMoney(recurringMinor, currency),
        }),
      ),
    };
  };
}
