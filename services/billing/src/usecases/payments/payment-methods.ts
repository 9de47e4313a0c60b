import { invalidFields } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';

/** What a customer may choose. `manual` leaves the invoice to an operator. */
export function paymentMethods({ gateways }: Pick<BillingContext, 'gateways'>): string[] {
  return [...new Set(['credits', 'manual', ...gateways.keys()])];
}

/** Throws INVALID_FIELDS naming `payment_method`. */
export function checkPaymentMethod(context: Pick<BillingContext, 'gateways'>, method: string): void {
  const known = paymentMethods(context);
  if (!known.includes(method)) throw invalidFields({ payment_method: [`must be one of ${known.join(', ')}`] });
}
