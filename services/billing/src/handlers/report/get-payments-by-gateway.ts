import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { readPaymentsByGateway } from '../../usecases/reports/read-payments-by-gateway.js';

export function handleGetPaymentsByGateway(
  context: BillingContext,
): Handler<ReportServiceService['getPaymentsByGateway']> {
  return async ({ fromMonth, toMonth }) => {
    const rows = await readPaymentsByGateway(context, { fromMonth, toMonth });
    return {
      rows: rows.map(({ currency, receivedMinor, refundedMinor, disputedMinor, ...row }) => ({
        ...row,
        received: presentMoney(receivedMinor, currency),
        refunded: presentMoney(refundedMinor, currency),
        disputed: presentMoney(disputedMinor, currency),
        net: presentMoney(receivedMinor - refundedMinor - disputedMinor, currency),
      })),
    };
  };
}
