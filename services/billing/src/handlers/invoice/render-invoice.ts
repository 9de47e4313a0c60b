import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { getInvoice } from '../../usecases/invoices/get-invoice.js';
import { renderInvoice } from '../../usecases/invoices/render-invoice.js';
import { readDocumentFormat } from '../read-request.js';

export function handleRenderInvoice(context: BillingContext): Handler<InvoiceServiceService['renderInvoice']> {
  return async ({ invoiceId, format }, call) => {
    const wanted = readDocumentFormat(format);
    const invoice = await getInvoice(context, invoiceId, call);
    return { document: { format, ...(await renderInvoice(context, invoice, wanted)) } };
  };
}
