import { invalidFields } from '@panel/kit/errors';
import type { Handler } from '@panel/rpc';
import { InvoiceDocument_Format, type InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import type { DocumentFormat } from '../../documents/invoice-documents.js';
import { renderInvoiceDocument } from '../../usecases/invoices/render-invoice-document.js';
import { loadInvoice } from '../load-owned.js';

export function renderInvoice(context: BillingContext): Handler<InvoiceServiceService['renderInvoice']> {
  return async ({ invoiceId, format }, call) => {
    const wanted = formatOf(format);
    const invoice = await loadInvoice(context, invoiceId, call);
    return { document: { format, ...(await renderInvoiceDocument(context, invoice, wanted)) } };
  };
}

function formatOf(format: InvoiceDocument_Format): DocumentFormat {
  if (format === InvoiceDocument_Format.HTML) return 'html';
  if (format === InvoiceDocument_Format.PDF) return 'pdf';
  throw invalidFields({ format: ['must be html or pdf'] });
}
