import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { invalidFields } from '@panel/kit/errors';
import { isPlainText } from '@panel/kit/text';
import { RefundInvoiceRequest_Destination } from '@panel/protos/billing';
import { presentInvoice } from '../../present/invoice.js';
import { refundInvoice as refund } from '../../usecases/invoices/refund-invoice.js';
import { loadInvoice } from '../load-owned.js';

export function refundInvoice(context: BillingContext): Handler<InvoiceServiceService['refundInvoice']> {
  return async (request, call) => {
    const { invoiceId, amount, reason, cancelServices } = request;
    const found = await loadInvoice(context, invoiceId, call);
    if (amount && amount.currency !== '' && amount.currency !== found.currency) {
      throw invalidFields({ amount: [`must be in ${found.currency}`] });
    }
    if (reason.length > 500 || !isPlainText(reason))
      throw invalidFields({ reason: ['must be text of at most 500 characters'] });
    const isOriginal = request.destination === RefundInvoiceRequest_Destination.ORIGINAL;
    const input = {
      amountMinor: amount?.amountMinor ?? null,
      destination: isOriginal ? ('original' as const) : ('credits' as const),
      reason,
      cancelServices,
    };
    const { invoice, creditNote } = await refund(context, invoiceId, input, call.idempotencyId);
    return { invoice: presentInvoice(invoice), creditNote: creditNote ? presentInvoice(creditNote) : undefined };
  };
}
