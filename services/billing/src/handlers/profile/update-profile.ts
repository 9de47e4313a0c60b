import type { Handler } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { requireUser } from '@panel/rpc';
import { loadCustomer } from '../../usecases/load-customer.js';
import { checkProfile } from '../../usecases/profiles/check-profile.js';

export function updateProfile(context: BillingContext): Handler<ProfileServiceService['updateProfile']> {
  return async (request, { actor }) => {
    const { userId } = requireUser(actor);
    const { userId: _user, ...profile } = await context.profiles.update(userId, checkProfile(request));
    const { email } = await loadCustomer(context, userId);
    return { customer: { ...profile, email } };
  };
}
