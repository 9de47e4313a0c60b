import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';

export function listDiscrepancies(context: BillingContext): Handler<ReportServiceService['listDiscrepancies']> {
  return async () => {
    const { discrepancies, checkedAt } = await context.discrepancies.read();
    return {
      discrepancies: discrepancies.map(({ foundAt, ...found }) => ({ ...found, foundTime: foundAt })),
      checkedTime: checkedAt ?? undefined,
    };
  };
}
