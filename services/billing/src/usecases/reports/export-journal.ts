import type { BillingContext } from '../../context.js';
import { journalHead, type JournalFormat, journalText } from '../../domain/journal-file.js';
import { requireMonth } from '../../domain/month-span.js';

const pageSize = 1_000;

interface ExportedFile {
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Of the entries until now, in their order. Throws INVALID_FIELDS. */
export async function exportJournal(
  context: BillingContext,
  month: string,
  format: JournalFormat,
): Promise<ExportedFile> {
  const { timezone } = await context.settings.read();
  const range = requireMonth(month, timezone);
  return { fileName: `journal-${month}.${format}`, chunks: chunksOf(context, range, format, timezone) };
}

async function* chunksOf(
  { journal }: BillingContext,
  { start, end }: { readonly start: Date; readonly end: Date },
  format: JournalFormat,
  timezone: string,
): AsyncGenerator<Buffer> {
  yield Buffer.from(journalHead[format]);
  let after: { readonly at: Date; readonly id: string } | null = null;
  for (;;) {
    const entries = await journal.list(start, end, after, pageSize);
    yield Buffer.from(entries.map((entry) => journalText(entry, format, timezone)).join(''));
    after = entries.at(-1) ?? null;
    if (entries.length < pageSize) return;
  }
}
