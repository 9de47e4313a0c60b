import { type Caller, requireStaff, requireUser } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { loadCustomer } from '../../customers/load-customers.js';
import type { CustomerProfile } from '../../domain/profile.js';

/** Own profile; for staff that of `userId`. */
export async function getProfile(context: BillingContext, userId: string, caller: Caller): Promise<CustomerProfile> {
  const isOwn = userId === '' || (caller.actor.kind === 'user' && caller.actor.userId === userId);
  if (!isOwn) requireStaff(caller);
  const ownerId = userId || requireUser(caller.actor).userId;
  const [profile, { email }] = await Promise.all([context.profiles.get(ownerId), loadCustomer(context, ownerId)]);
  return { ...profile, email };
}
