import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { readRecognizedRevenue } from '../../usecases/reports/read-recognized-revenue.js';

export function handleGetRecognizedRevenue(
  context: BillingContext,
): Handler<ReportServiceService['getRecognizedRevenue']> {
  return async ({ fromMonth, toMonth }) => {
    const rows = await readRecognizedRevenue(context, { fromMonth, toMonth });
    return {
      rows: rows.map(({ earnedMinor, deferredMinor, currency, ...row }) => ({
        ...row,
        recognized: presentMoney(earnedMinor, currency),
        deferred: presentMoney(deferredMinor, currency),
      })),
    };
  };
}
