import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { getInvoice } from '../../usecases/invoices/get-invoice.js';
import { updateInvoiceStatus } from '../../usecases/invoices/update-invoice-status.js';
import { readInvoiceStatus } from '../read-request.js';

export function handleUpdateInvoiceStatus(
  context: BillingContext,
): Handler<InvoiceServiceService['updateInvoiceStatus']> {
  return async ({ invoiceId, status, reference }, call) => {
    const change = { status: readInvoiceStatus(status), reference };
    const invoice = await getInvoice(context, invoiceId, call);
    return { invoice: presentInvoice(await updateInvoiceStatus(context, invoice, change)) };
  };
}
