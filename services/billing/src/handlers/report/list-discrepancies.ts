import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { listDiscrepancies } from '../../usecases/reports/list-discrepancies.js';

export function handleListDiscrepancies(context: BillingContext): Handler<ReportServiceService['listDiscrepancies']> {
  return async () => {
    const { discrepancies, checkedAt } = await listDiscrepancies(context);
    return {
      discrepancies: discrepancies.map(({ foundAt, ...found }) => ({ ...found, foundTime: foundAt })),
      checkedTime: checkedAt ?? undefined,
    };
  };
}
