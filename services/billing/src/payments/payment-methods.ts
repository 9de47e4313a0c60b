import { invalidFields } from '@panel/kit/errors';
import type { PaymentGateways } from './payment-gateway.js';

/** Offered methods. `manual` needs an operator. */
export function paymentMethods(gateways: PaymentGateways): string[] {
  return [...new Set(['credits', 'manual', ...gateways.keys()])];
}

/** Throws INVALID_FIELDS naming `payment_method`. */
export function checkPaymentMethod({ gateways }: { readonly gateways: PaymentGateways }, method: string): void {
  const known = paymentMethods(gateways);
  if (!known.includes(method)) throw invalidFields({ payment_method: [`must be one of ${known.join(', ')}`] });
}
