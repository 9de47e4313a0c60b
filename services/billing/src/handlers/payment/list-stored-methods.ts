import type { Handler } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';

export function listStoredMethods(context: BillingContext): Handler<PaymentServiceService['listStoredMethods']> {
  return async (_request, { actor }) => {
    const found = await context.storedMethods.ofUser(requireUser(actor).userId);
    const storedMethods = found.map(({ id, gateway, label, createdAt }) => ({
      id,
      gateway,
      label,
      createTime: createdAt,
    }));
    return { storedMethods };
  };
}
