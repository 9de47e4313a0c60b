import type { Handler } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { fail } from '../../reasons.js';

export function deleteStoredMethod(context: BillingContext): Handler<PaymentServiceService['deleteStoredMethod']> {
  return async ({ storedMethodId }, { actor }) => {
    const isDeleted = await context.storedMethods.delete(storedMethodId, requireUser(actor).userId);
    if (!isDeleted) throw fail('STORED_METHOD_NOT_FOUND', 'there is no such payment method');
    return {};
  };
}
