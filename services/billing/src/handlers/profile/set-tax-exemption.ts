import type { Handler } from '@panel/rpc';
import type { ProfileServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProfile } from '../../present/profile.js';
import { setTaxExemption } from '../../usecases/profiles/set-tax-exemption.js';

export function handleSetTaxExemption(context: BillingContext): Handler<ProfileServiceService['setTaxExemption']> {
  return async ({ userId, taxExemption }) => presentProfile(await setTaxExemption(context, userId, taxExemption));
}
