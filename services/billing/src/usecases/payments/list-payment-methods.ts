import type { BillingContext } from '../../context.js';
import { paymentMethods } from '../../payments/payment-methods.js';

/** What a customer may choose. */
export function listPaymentMethods({ gateways }: BillingContext): string[] {
  return paymentMethods(gateways);
}
