import type { Handler } from '@panel/rpc';
import type { ReceivablesRow, ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import type { OpenTotal } from '../../domain/report.js';
import { presentMoney } from '../../present/money.js';
import { readReceivables } from '../../usecases/reports/read-receivables.js';

export function handleGetReceivables(context: BillingContext): Handler<ReportServiceService['getReceivables']> {
  return async (request) => {
    const { at, rows, totals } = await readReceivables(context, request);
    return {
      at,
      rows: rows.map(({ userId, customer, ...sums }) => ({ userId, customer, ...presentSums(sums) })),
      totals: totals.map((sums) => ({ userId: '', customer: '', ...presentSums(sums) })),
    };
  };
}

function presentSums({ currency, ...sums }: OpenTotal): Omit<ReceivablesRow, 'userId' | 'customer'> {
  return {
    notDue: presentMoney(sums.notDueMinor, currency),
    overdue30: presentMoney(sums.overdue30Minor, currency),
    overdue60: presentMoney(sums.overdue60Minor, currency),
    overdue90: presentMoney(sums.overdue90Minor, currency),
    overdueLonger: presentMoney(sums.overdueLongerMinor, currency),
    debt: presentMoney(sums.debtMinor, currency),
    total: presentMoney(sums.totalMinor, currency),
  };
}
