import { randomUUID } from 'node:crypto';
import { addProblem, fieldProblem, requireValid } from '@panel/kit/errors';
import { paymentMethodProblems } from '../../payments/payment-methods.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { addDaysTo } from '../../domain/calendar.js';
import { maxPriceMinor } from '../../domain/money.js';
import { untaxed, withTax } from '../../domain/tax.js';
import { gatewayPaymentProblems, startGatewayPayment } from '../../payment-events/start-session.js';
import { issueInvoice } from '../../invoicing/issue-invoices.js';

interface BuyCreditsInput {
  readonly userId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly method: string;
  readonly returnUrl: string;
}

/** Idempotent by id. Throws INVALID_FIELDS. */
export async function buyCredits(
  context: BillingContext,
  input: BuyCreditsInput,
  idempotencyId: string = randomUUID(),
): Promise<{ readonly invoice: InvoiceRecord; readonly paymentUrl: string }> {
  const { amountMinor, method } = input;
  const settings = await context.settings.read();
  const problems = paymentMethodProblems(context, method);
  if (method === 'credits') {
    problems.payment_method = [fieldProblem('not_allowed', 'cannot be credits when credits are bought')];
  }
  if (input.currency !== '' && input.currency !== settings.currency) {
    addProblem(problems, 'amount', fieldProblem('not_allowed', `must be in ${settings.currency}`));
  }
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > maxPriceMinor) {
    const message = `must be a whole number of minor units from 1 to ${maxPriceMinor}`;
    addProblem(problems, 'amount', fieldProblem('out_of_range', message));
  }
  const amount = { amountMinor, currency: settings.currency };
  requireValid({ ...problems, ...(await gatewayPaymentProblems(context, input, amount)) });
  const at = context.clock();
  // Untaxed: purchases with credits are taxed.
  const tax = untaxed(settings);
  const invoice = await issueInvoice(context, {
    id: idempotencyId,
    userId: input.userId,
    currency: settings.currency,
    at,
    dueAt: addDaysTo(at, settings.paymentDays),
    tax,
    items: [
      {
        purpose: 'credits',
        description: 'Credits',
        subscriptionId: '',
        productId: '',
        productName: '',
        quantity: 1,
        unitPriceMinor: amountMinor,
        setupFeeMinor: 0,
        discountMinor: 0,
        ...withTax(amountMinor, tax),
        periodStart: null,
        periodEnd: null,
      },
    ],
  });
  const paymentUrl = await startGatewayPayment(context, invoice, { ...input, savePaymentMethod: false });
  return { invoice: (await context.invoices.get(invoice.id)) ?? invoice, paymentUrl };
}
