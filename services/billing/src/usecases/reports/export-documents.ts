import type { BillingContext } from '../../context.js';
import { plainFileName } from '../../documents/plain-file-name.js';
import { zipOf } from '../../documents/zip.js';
import { requireMonth } from '../../domain/month-span.js';
import { renderInvoice } from '../invoices/render-invoice.js';

/** Each is written when the file before it was taken. Throws INVALID_FIELDS. */
export async function exportDocuments(context: BillingContext, month: string) {
  const { timezone } = await context.settings.read();
  const range = requireMonth(month, timezone);
  return { fileName: `documents-${month}.zip`, chunks: zipOf(documentsOf(context, range)) };
}

async function* documentsOf(
  context: BillingContext,
  { start, end }: { readonly start: Date; readonly end: Date },
): AsyncGenerator<{ readonly name: string; readonly modifiedAt: Date; readonly content: Buffer }> {
  for await (const invoice of context.invoices.issuedBetween(start, end)) {
    const { content, fileName } = await renderInvoice(context, invoice, 'pdf');
    yield { name: plainFileName(fileName), modifiedAt: invoice.issuedAt, content };
  }
}
