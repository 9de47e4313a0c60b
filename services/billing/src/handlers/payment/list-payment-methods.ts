import type { Handler } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { listPaymentMethods } from '../../usecases/payments/list-payment-methods.js';

export function handleListPaymentMethods(
  context: BillingContext,
): Handler<PaymentServiceService['listPaymentMethods']> {
  return async () => ({ methods: listPaymentMethods(context) });
}
