import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import type { PaymentGateways } from './payment-gateway.js';

/** Offered methods. `manual` needs an operator. */
export function paymentMethods(gateways: PaymentGateways): string[] {
  return [...new Set(['credits', 'manual', ...gateways.keys()])];
}

/** Of `payment_method`. */
export function paymentMethodProblems(
  { gateways }: { readonly gateways: PaymentGateways },
  method: string,
): FieldMessages {
  const known = paymentMethods(gateways);
  if (known.includes(method)) return {};
  return { payment_method: [fieldProblem('not_allowed', `must be one of ${known.join(', ')}`)] };
}

/** Throws INVALID_FIELDS naming `payment_method`. */
export function checkPaymentMethod(context: { readonly gateways: PaymentGateways }, method: string): void {
  requireValid(paymentMethodProblems(context, method));
}
