import type { Money, PaymentEvent } from './payment-gateway.js';

/** A payment that was begun for an invoice, as stored before the customer was sent away. */
export interface ExpectedPayment {
  readonly invoiceId: string;
  readonly gateway: string;
  readonly amount: Money;
  /** What the gateway returned for it: the checkout, and the payment once known. */
  readonly references: readonly string[];
}

/** Why money that arrived is not applied to the invoice but shown to the operator. */
export type PaymentMismatch =
  'unknown_payment' | 'other_invoice' | 'other_currency' | 'amount_too_low' | 'amount_too_high';

/**
 * Whether a reported payment is the one that was begun: same payment, same invoice, same currency, same amount. Null: it
 * is. A valid signature alone does not pay an invoice.
 */
export function paymentMismatch(event: PaymentEvent, expected: ExpectedPayment | null): PaymentMismatch | null {
  if (expected === null) return 'unknown_payment';
  const isNamed =
    expected.references.includes(event.gatewayReference) ||
    (event.checkoutReference !== null && expected.references.includes(event.checkoutReference));
  if (!isNamed) return 'unknown_payment';
  if (event.invoiceId !== expected.invoiceId) return 'other_invoice';
  if (event.amount.currency !== expected.amount.currency) return 'other_currency';
  if (event.amount.amountMinor < expected.amount.amountMinor) return 'amount_too_low';
  if (event.amount.amountMinor > expected.amount.amountMinor) return 'amount_too_high';
  return null;
}
