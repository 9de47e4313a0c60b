import { enumOf, wordOf } from '@panel/kit/records';
import type { Handler } from '@panel/rpc';
import { GetTaxRequest_Basis, type ReportServiceService, TaxTreatment } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { readTax } from '../../usecases/reports/read-tax.js';

export function handleGetTax(context: BillingContext): Handler<ReportServiceService['getTax']> {
  return async ({ fromMonth, toMonth, basis }) => {
    const rows = await readTax(context, { fromMonth, toMonth }, wordOf(GetTaxRequest_Basis, basis) ?? 'issued');
    return {
      rows: rows.map(({ treatment, basisPoints, currency, netMinor, taxMinor, totalMinor, ...row }) => ({
        ...row,
        treatment: enumOf(TaxTreatment, treatment),
        rateBasisPoints: basisPoints,
        net: presentMoney(netMinor, currency),
        tax: presentMoney(taxMinor, currency),
        total: presentMoney(totalMinor, currency),
      })),
    };
  };
}
