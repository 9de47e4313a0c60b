import { requireValid } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { checkVatNumber, isAsked, uncheckedVat } from '../../customers/check-vat-numbers.js';
import { loadCustomer } from '../../customers/load-customers.js';
import { checkProfile, vatNumberProblems } from '../../domain/check-profile.js';
import type { CustomerProfile, ProfileFields } from '../../domain/profile.js';

/** A changed VAT number is checked at once, or later when VIES has no answer. Throws INVALID_FIELDS. */
export async function updateProfile(
  context: BillingContext,
  userId: string,
  given: Partial<Record<keyof ProfileFields, unknown>>,
): Promise<CustomerProfile> {
  const changes = checkProfile(given);
  const [before, { email }, settings] = await Promise.all([
    context.profiles.get(userId),
    loadCustomer(context, userId),
    context.settings.read(),
  ]);
  if (changes.country !== undefined || changes.vatNumber !== undefined) {
    requireValid(vatNumberProblems({ ...before, ...changes }));
  }
  const { vatNumber } = changes;
  if (vatNumber === undefined || vatNumber === before.vatNumber) {
    return { ...(await context.profiles.update(userId, changes)), email };
  }
  const vatCheck = vatNumber === '' ? null : uncheckedVat(vatNumber, context.clock());
  const profile = await context.profiles.update(userId, { ...changes, vatCheck });
  const isChecked = vatNumber !== '' && isAsked(settings);
  return { ...(isChecked ? await checkVatNumber(context, profile, settings) : profile), email };
}
