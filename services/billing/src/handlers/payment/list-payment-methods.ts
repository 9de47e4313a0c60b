import type { Handler } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { paymentMethods } from '../../usecases/payments/payment-methods.js';

export function listPaymentMethods(context: BillingContext): Handler<PaymentServiceService['listPaymentMethods']> {
  return async () => ({ methods: paymentMethods(context) });
}
