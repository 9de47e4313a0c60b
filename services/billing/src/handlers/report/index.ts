import { serve, type ServedService } from '@panel/rpc';
import { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { handleExportDocuments } from './export-documents.js';
import { handleExportJournal } from './export-journal.js';
import { handleGetPaymentsByGateway } from './get-payments-by-gateway.js';
import { handleGetReceivables } from './get-receivables.js';
import { handleGetRecognizedRevenue } from './get-recognized-revenue.js';
import { handleGetRecurringRevenue } from './get-recurring-revenue.js';
import { handleGetRevenue } from './get-revenue.js';
import { handleGetTax } from './get-tax.js';
import { handleListDiscrepancies } from './list-discrepancies.js';

export function serveReports(context: BillingContext): ServedService {
  return serve(ReportServiceService, {
    exportDocuments: handleExportDocuments(context),
    exportJournal: handleExportJournal(context),
    getPaymentsByGateway: handleGetPaymentsByGateway(context),
    getReceivables: handleGetReceivables(context),
    getRecognizedRevenue: handleGetRecognizedRevenue(context),
    getRecurringRevenue: handleGetRecurringRevenue(context),
    getRevenue: handleGetRevenue(context),
    getTax: handleGetTax(context),
    listDiscrepancies: handleListDiscrepancies(context),
  });
}
