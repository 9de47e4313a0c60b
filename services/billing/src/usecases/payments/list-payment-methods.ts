import type { BillingContext } from '../../context.js';
import { paymentMethods } from '../../payments/payment-methods.js';

export function listPaymentMethods({ gateways }: BillingContext): string[] {
  return paymentMethods(gateways);
}
