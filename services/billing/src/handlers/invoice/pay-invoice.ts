import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { requireUser } from '@panel/rpc';
import { fail } from '../../reasons.js';
import { payInvoice as pay } from '../../usecases/invoices/pay-invoice.js';
import { loadInvoice } from '../load-owned.js';

export function payInvoice(context: BillingContext): Handler<InvoiceServiceService['payInvoice']> {
  return async ({ invoiceId, paymentMethod, returnUrl, savePaymentMethod }, call) => {
    const found = await loadInvoice(context, invoiceId, call);
    // Staff may see it, but only its owner pays it from their credits.
    if (found.userId !== requireUser(call.actor).userId) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
    const request = { method: paymentMethod, returnUrl, savePaymentMethod };
    const { invoice, paymentUrl } = await pay(context, found, request);
    return { invoice: presentInvoice(invoice), paymentUrl };
  };
}
