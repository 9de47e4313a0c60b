import type { Handler } from '@panel/rpc';
import type { ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { exportDocuments } from '../../usecases/reports/export-documents.js';
import { fileParts } from '../../present/file-parts.js';

export function handleExportDocuments(context: BillingContext): Handler<ReportServiceService['exportDocuments']> {
  return async function* ({ month }) {
    yield* fileParts(await exportDocuments(context, month));
  };
}
