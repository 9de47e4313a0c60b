import { wordOf } from '@panel/kit/records';
import { type Handler, messageChunks } from '@panel/rpc';
import { ExportJournalRequest_Format, type ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { exportJournal } from '../../usecases/reports/export-journal.js';

export function handleExportJournal(context: BillingContext): Handler<ReportServiceService['exportJournal']> {
  return async function* ({ month, format }) {
    const { fileName, chunks } = await exportJournal(
      context,
      month,
      wordOf(ExportJournalRequest_Format, format) ?? 'csv',
    );
    yield { part: { $case: 'fileName', value: fileName } };
    for await (const chunk of chunks)
      for (const value of messageChunks(chunk)) yield { part: { $case: 'chunk', value } };
  };
}
