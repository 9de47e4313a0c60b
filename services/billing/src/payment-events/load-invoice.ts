import type { InvoiceRecord } from '../domain/invoice.js';
import { fail } from '../reasons.js';
import type { PaymentEventDeps } from './dependencies.js';

/** Throws INVOICE_NOT_FOUND. */
export async function loadInvoice({ invoices }: PaymentEventDeps, invoiceId: string): Promise<InvoiceRecord> {
  const invoice = await invoices.get(invoiceId);
  if (!invoice) throw fail('INVOICE_NOT_FOUND', 'a payment names an invoice that is not there');
  return invoice;
}
