import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { getInvoice } from '../../usecases/invoices/get-invoice.js';
import { payInvoice } from '../../usecases/invoices/pay-invoice.js';

export function handlePayInvoice(context: BillingContext): Handler<InvoiceServiceService['payInvoice']> {
  return async ({ invoiceId, paymentMethod, returnUrl, savePaymentMethod, useCredits }, call) => {
    const request = { method: paymentMethod, returnUrl, savePaymentMethod, useCredits };
    const { invoice, paymentUrl } = await payInvoice(
      context,
      await getInvoice(context, invoiceId, call),
      request,
      call,
    );
    return { invoice: presentInvoice(invoice), paymentUrl };
  };
}
