import type { Jobs } from '@panel/kit/process';
import { journalOfInvoice } from '../domain/journal-of-invoice.js';
import { revenueSegments } from '../domain/revenue-schedule.js';
import type { InvoiceStore } from '../models/invoice.js';
import type { JournalStore } from '../models/journal.js';
import type { RevenueScheduleStore } from '../models/revenue-schedule.js';

interface JournalDeps {
  readonly invoices: Pick<InvoiceStore, 'unjournaled' | 'journaled'>;
  readonly journal: Pick<JournalStore, 'insert'>;
  readonly revenueSchedules: Pick<RevenueScheduleStore, 'put'>;
  readonly attempt: Jobs['attempt'];
}

const batch = 500;

/** Entries and schedules of changed invoices; those of credits are written with their ledger. Idempotent. */
export async function writeJournal(deps: JournalDeps, signal: AbortSignal): Promise<void> {
  const { invoices, journal, revenueSchedules, attempt } = deps;
  for (const { invoice, mark } of await invoices.unjournaled(batch)) {
    if (signal.aborted) return;
    await attempt('write-journal', invoice.id, async () => {
      await journal.insert(journalOfInvoice(invoice));
      if (invoice.kind === 'invoice') {
        const { id: invoiceId, currency } = invoice;
        await revenueSchedules.put({ invoiceId, currency, segments: revenueSegments(invoice) });
      }
      await invoices.journaled(invoice.id, mark);
    });
  }
}
