import type { Handler } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProfile } from '../../present/profile.js';
import { getProfile } from '../../usecases/profiles/get-profile.js';

export function handleGetProfile(context: BillingContext): Handler<ProfileServiceService['getProfile']> {
  return async ({ userId }, call) => presentProfile(await getProfile(context, userId, call));
}
