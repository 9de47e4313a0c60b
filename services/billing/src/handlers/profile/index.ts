import { serve, type ServedService } from '@panel/rpc';
import { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { getProfileHandler } from './get-profile.js';
import { updateProfileHandler } from './update-profile.js';

export function serveProfiles(context: BillingContext): ServedService {
  return serve(ProfileServiceService, {
    getProfile: getProfileHandler(context),
    updateProfile: updateProfileHandler(context),
  });
}
