import type { BillingContext } from '../../context.js';
import type { DocumentFormat, InvoiceDocument } from '../../documents/invoice-documents.js';
import type { Invoice } from '../../domain/invoice.js';

export async function renderInvoice(
  { invoices, documents }: Pick<BillingContext, 'invoices' | 'documents'>,
  invoice: Invoice,
  format: DocumentFormat,
): Promise<InvoiceDocument> {
  const corrected = invoice.correctsInvoiceId === '' ? null : await invoices.get(invoice.correctsInvoiceId);
  return documents.render(invoice, corrected?.number ?? '', format);
}
