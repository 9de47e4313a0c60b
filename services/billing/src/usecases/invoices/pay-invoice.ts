import { type Caller, requireUser } from '@panel/rpc';
import { fieldProblem, invalidFields, requireValid } from '@panel/kit/errors';
import { checkPaymentMethod } from '../../payments/payment-methods.js';
import { acceptedPayment, type InvoiceRecord, isPayable, paidMinor } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import {
  gatewayPaymentProblems,
  type PaymentRequest,
  startGatewayPayment,
} from '../../payment-events/start-session.js';
import { payFromCredits } from '../../invoicing/pay-from-credits.js';

/** From credits, through a gateway, or by what credits leave through a gateway. Throws INVOICE_NOT_PAYABLE, PAYMENT_PENDING, INVALID_FIELDS. */
export async function payInvoice(
  context: BillingContext,
  invoice: InvoiceRecord,
  request: PaymentRequest,
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
  if (request.useCredits && !isOfCredits) await payPart(context, invoice, request);
  const open = (await context.invoices.get(invoice.id)) ?? invoice;
  const paymentUrl = await startGatewayPayment(context, open, request);
  return { invoice: (await context.invoices.get(invoice.id)) ?? invoice, paymentUrl };
}

/** Nothing is taken when the gateway would refuse the rest. */
async function payPart(context: BillingContext, invoice: InvoiceRecord, request: PaymentRequest): Promise<void> {
  const { id, userId, currency, totalMinor } = invoice;
  const balanceMinor = await context.credits.balance(userId, currency);
  const amountMinor = Math.max(0, totalMinor - paidMinor(invoice) - Math.max(0, balanceMinor));
  requireValid(await gatewayPaymentProblems(context, request, { amountMinor, currency }));
  await payFromCredits(context, id, true);
}
