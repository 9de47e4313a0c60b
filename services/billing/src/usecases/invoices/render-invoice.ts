import type { BillingContext } from '../../context.js';
import type { DocumentFormat, InvoiceDocument } from '../../documents/invoice-documents.js';
import type { Invoice } from '../../domain/invoice.js';

/** Throws E_INVOICE_UNAVAILABLE for `xml`. */
export async function renderInvoice(
  { invoices, documents, settings }: Pick<BillingContext, 'invoices' | 'documents' | 'settings'>,
  invoice: Invoice,
  format: DocumentFormat,
): Promise<InvoiceDocument> {
  const corrected = invoice.correctsInvoiceId === '' ? null : await invoices.get(invoice.correctsInvoiceId);
  const { bank: account, eInvoice: isHybrid } = await settings.read();
  return documents.render(invoice, { creditedInvoiceNumber: corrected?.number ?? '', account, isHybrid }, format);
}
