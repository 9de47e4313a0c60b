import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { getInvoice } from '../../usecases/invoices/get-invoice.js';

export function handleGetInvoice(context: BillingContext): Handler<InvoiceServiceService['getInvoice']> {
  return async ({ invoiceId }, call) => ({ invoice: presentInvoice(await getInvoice(context, invoiceId, call)) });
}
