import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import { isPlainText } from '@panel/kit/text';
import type { BillingContext } from '../../context.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import type { Money } from '../../domain/payment.js';
import { refundInvoice } from '../../refunds/refund-invoice.js';
import type { RefundInput } from '../../invoicing/start-refund.js';

export interface OperatorRefund extends Pick<RefundInput, 'destination' | 'reason' | 'cancelSubscriptions'> {
  /** Null: everything paid and not refunded. An empty currency is the invoice's. */
  readonly amount: Money | null;
}

/** Idempotent by id. Throws INVOICE_NOT_PAID, INVALID_FIELDS. */
export async function refundPaidInvoice(
  context: BillingContext,
  { id, currency }: InvoiceRecord,
  { amount, ...input }: OperatorRefund,
  idempotencyId: string | undefined,
) {
  const problems: FieldMessages = {};
  if (amount && amount.currency !== '' && amount.currency !== currency) {
    problems.amount = [fieldProblem('not_allowed', `must be in ${currency}`)];
  }
  if (input.reason.length > 500 || !isPlainText(input.reason)) {
    problems.reason = ['must be text of at most 500 characters'];
  }
  requireValid(problems);
  return refundInvoice(context, id, { ...input, amountMinor: amount?.amountMinor ?? null }, idempotencyId);
}
