import { invalidFields } from '@panel/kit/errors';
import { isOneLine } from '@panel/kit/text';
import type { BillingContext } from '../../context.js';
import { loadCustomer } from '../../customers/load-customers.js';
import type { CustomerProfile } from '../../domain/profile.js';

const maxLength = 200;

/** An empty reason ends it. Throws INVALID_FIELDS, USER_NOT_FOUND. */
export async function setTaxExemption(
  context: BillingContext,
  userId: string,
  reason: string,
): Promise<CustomerProfile> {
  const taxExemption = reason.trim();
  if (taxExemption.length > maxLength || !isOneLine(taxExemption)) {
    throw invalidFields({ tax_exemption: [`must be one line of at most ${maxLength} characters`] });
  }
  const { email } = await loadCustomer(context, userId);
  return { ...(await context.profiles.update(userId, { taxExemption })), email };
}
