import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { type JournalFile, journalFile, type JournalFormat } from '../../domain/journal-file.js';
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
  const { timezone, datev } = await context.settings.read();
  const range = requireMonth(month, timezone);
  const file = journalFile(format, { month, end: range.end, timezone, datev, now: context.clock() });
  if (!file) {
    const problem = 'datev needs the settings datev_consultant and datev_client';
    throw invalidFields({ format: [fieldProblem('conflicting', problem)] });
  }
  return { fileName: file.fileName, chunks: chunksOf(context, range, file) };
}

async function* chunksOf(
  { journal }: BillingContext,
  { start, end }: { readonly start: Date; readonly end: Date },
  { head, textOf, encode }: JournalFile,
): AsyncGenerator<Buffer> {
  yield encode(head);
  let after: { readonly at: Date; readonly id: string } | null = null;
  for (;;) {
    const entries = await journal.list(start, end, after, pageSize);
    yield encode(entries.map(textOf).join(''));
    after = entries.at(-1) ?? null;
    if (entries.length < pageSize) return;
  }
}
