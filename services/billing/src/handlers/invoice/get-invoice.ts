import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { loadInvoice } from '../load-owned.js';

export function getInvoice(context: BillingContext): Handler<InvoiceServiceService['getInvoice']> {
  return async ({ invoiceId }, call) => ({
    invoice: presentInvoice(await loadInvoice(context, invoiceId, call)),
  });
}
