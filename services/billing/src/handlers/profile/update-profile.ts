import { type Handler, requireUser } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProfile } from '../../present/profile.js';
import { updateProfile } from '../../usecases/profiles/update-profile.js';

export function handleUpdateProfile(context: BillingContext): Handler<ProfileServiceService['updateProfile']> {
  return async (request, { actor }) => presentProfile(await updateProfile(context, requireUser(actor).userId, request));
}
