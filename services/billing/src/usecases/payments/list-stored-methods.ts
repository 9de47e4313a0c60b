import type { BillingContext } from '../../context.js';
import type { StoredMethodRecord } from '../../domain/payment.js';

/** Newest first. */
export async function listStoredMethods(
  { storedMethods }: BillingContext,
  userId: string,
): Promise<StoredMethodRecord[]> {
  return storedMethods.ofUser(userId);
}
