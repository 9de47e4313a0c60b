import { type Handler, requireUser } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { deleteStoredMethod } from '../../usecases/payments/delete-stored-method.js';

export function handleDeleteStoredMethod(
  context: BillingContext,
): Handler<PaymentServiceService['deleteStoredMethod']> {
  return async ({ storedMethodId }, { actor }) => {
    await deleteStoredMethod(context, storedMethodId, requireUser(actor).userId);
    return {};
  };
}
