import type { Handler } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { loadCustomer } from '../../usecases/load-customer.js';

export function getProfile(context: BillingContext): Handler<ProfileServiceService['getProfile']> {
  return async (_request, { actor }) => {
    const { userId } = requireUser(actor);
    const { userId: _user, ...profile } = await context.profiles.get(userId);
    const { email } = await loadCustomer(context, userId);
    return { customer: { ...profile, email } };
  };
}
