import { type Handler, messageChunks } from '@panel/rpc';
import { type ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { exportDocuments } from '../../usecases/reports/export-documents.js';

export function handleExportDocuments(context: BillingContext): Handler<ReportServiceService['exportDocuments']> {
  return async function* ({ month }) {
    const { fileName, chunks } = await exportDocuments(context, month);
    yield { part: { $case: 'fileName', value: fileName } };
    for await (const chunk of chunks)
      for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
  };
}
