import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { invalidFields } from '@panel/kit/errors';
import { presentInvoice } from '../../present/invoice.js';
import { markInvoicePaid } from '../../usecases/invoices/mark-paid.js';
import { voidInvoice } from '../../usecases/invoices/void-invoice.js';
import { loadInvoice } from '../load-owned.js';
import { readInvoiceStatus } from '../read-request.js';

export function updateInvoiceStatus(context: BillingContext): Handler<InvoiceServiceService['updateInvoiceStatus']> {
  return async ({ invoiceId, status, reference }, call) => {
    const found = await loadInvoice(context, invoiceId, call);
    const wanted = readInvoiceStatus(status);
    if (wanted !== 'paid' && wanted !== 'void') throw invalidFields({ status: ['can be set to paid or void'] });
    const invoice =
      wanted === 'paid' ? await markInvoicePaid(context, found, reference) : await voidInvoice(context, invoiceId);
    return { invoice: presentInvoice(invoice) };
  };
}
