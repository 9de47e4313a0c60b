import { serve, type ServedService } from '@panel/rpc';
import { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { handleGetProfile } from './get-profile.js';
import { handleSetTaxExemption } from './set-tax-exemption.js';
import { handleUpdateProfile } from './update-profile.js';

export function serveProfiles(context: BillingContext): ServedService {
  return serve(ProfileServiceService, {
    getProfile: handleGetProfile(context),
    updateProfile: handleUpdateProfile(context),
    setTaxExemption: handleSetTaxExemption(context),
  });
}
