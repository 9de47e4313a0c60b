import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Throws STORED_METHOD_NOT_FOUND. */
export async function deleteStoredMethod(
  { storedMethods }: BillingContext,
  storedMethodId: string,
  userId: string,
): Promise<void> {
  if (!(await storedMethods.delete(storedMethodId, userId))) {
    throw fail('STORED_METHOD_NOT_FOUND', 'there is no such payment method');
  }
}
