import { type Caller, requireUser } from '@panel/rpc';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { checkPaymentMethod } from '../../payments/payment-methods.js';
import { acceptedPayment, type InvoiceRecord, isPayable } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { type GatewayPaymentRequest, startGatewayPayment } from '../../payment-events/start-session.js';
import { payFromCredits } from '../../invoicing/pay-from-credits.js';

/** From credits, or through a gateway. Throws INVOICE_NOT_PAYABLE, PAYMENT_PENDING, INVALID_FIELDS. */
export async function payInvoice(
  context: BillingContext,
  invoice: InvoiceRecord,
  request: GatewayPaymentRequest,
  caller: Caller,
): Promise<{ readonly invoice: InvoiceRecord; readonly paymentUrl: string }> {
  // Staff can only read it.
  if (invoice.userId !== requireUser(caller.actor).userId) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
  checkPaymentMethod(context, request.method);
  if (!isPayable(invoice)) throw fail('INVOICE_NOT_PAYABLE', 'this invoice does not wait for a payment');
  const accepted = acceptedPayment(invoice, context.clock());
  if (accepted) {
    const message = `a payment through ${accepted.method} is accepted, and is booked when the money arrives`;
    throw fail('PAYMENT_PENDING', message, { method: accepted.method });
  }
  const isOfCredits = invoice.items.some(({ purpose }) => purpose === 'credits');
  if (request.method === 'credits') {
    if (isOfCredits) throw invalidFields({ payment_method: ['cannot be credits when credits are bought'] });
    const result = await payFromCredits(context, invoice.id);
    if (result === 'insufficient')
      throw invalidFields({ credits: [fieldProblem('insufficient', 'are not enough for this')] });
    if (result === 'not payable') throw fail('INVOICE_NOT_PAYABLE', 'this invoice does not wait for a payment');
  }
  const paymentUrl = await startGatewayPayment(context, invoice, request);
  return { invoice: (await context.invoices.get(invoice.id)) ?? invoice, paymentUrl };
}
