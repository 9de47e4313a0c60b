import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { getInvoice } from '../../usecases/invoices/get-invoice.js';
import { refundPaidInvoice } from '../../usecases/invoices/refund-paid-invoice.js';
import { readRefund } from '../read-request.js';

export function handleRefundInvoice(context: BillingContext): Handler<InvoiceServiceService['refundInvoice']> {
  return async (request, call) => {
    const invoice = await getInvoice(context, request.invoiceId, call);
    const refunded = await refundPaidInvoice(context, invoice, readRefund(request), call.idempotencyId);
    return {
      invoice: presentInvoice(refunded.invoice),
      creditNote: refunded.creditNote ? presentInvoice(refunded.creditNote) : undefined,
    };
  };
}
