import { type Handler, requireUser } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { updateProfile } from '../../usecases/profiles/update-profile.js';

export function handleUpdateProfile(context: BillingContext): Handler<ProfileServiceService['updateProfile']> {
  return async (request, { actor }) => ({
    customer: await updateProfile(context, requireUser(actor).userId, request),
  });
}
