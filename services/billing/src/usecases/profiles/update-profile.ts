import type { BillingContext } from '../../context.js';
import { loadCustomer } from '../../customers/load-customers.js';
import { checkProfile } from '../../domain/check-profile.js';
import type { BillingProfile, InvoiceCustomer } from '../../domain/profile.js';

/** Throws INVALID_FIELDS. */
export async function updateProfile(
  context: BillingContext,
  userId: string,
  given: Partial<Record<keyof BillingProfile, unknown>>,
): Promise<InvoiceCustomer> {
  const { userId: _user, ...profile } = await context.profiles.update(userId, checkProfile(given));
  const { email } = await loadCustomer(context, userId);
  return { ...profile, email };
}
