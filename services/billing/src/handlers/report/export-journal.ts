import { wordOf } from '@panel/kit/records';
import type { Handler } from '@panel/rpc';
import { ExportJournalRequest_Format, type ReportServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { exportJournal } from '../../usecases/reports/export-journal.js';
import { fileParts } from '../../present/file-parts.js';

export function handleExportJournal(context: BillingContext): Handler<ReportServiceService['exportJournal']> {
  return async function* ({ month, format }) {
    yield* fileParts(await exportJournal(context, month, wordOf(ExportJournalRequest_Format, format) ?? 'csv'));
  };
}
