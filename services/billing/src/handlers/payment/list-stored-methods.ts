import { type Handler, requireUser } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { listStoredMethods } from '../../usecases/payments/list-stored-methods.js';

export function handleListStoredMethods(context: BillingContext): Handler<PaymentServiceService['listStoredMethods']> {
  return async (_request, { actor }) => {
    const found = await listStoredMethods(context, requireUser(actor).userId);
    return {
      storedMethods: found.map(({ id, gateway, label, createdAt }) => ({ id, gateway, label, createTime: createdAt })),
    };
  };
}
