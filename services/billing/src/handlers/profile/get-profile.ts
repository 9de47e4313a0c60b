import { type Handler, requireUser } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { getProfile } from '../../usecases/profiles/get-profile.js';

export function handleGetProfile(context: BillingContext): Handler<ProfileServiceService['getProfile']> {
  return async (_request, { actor }) => ({ customer: await getProfile(context, requireUser(actor).userId) });
}
