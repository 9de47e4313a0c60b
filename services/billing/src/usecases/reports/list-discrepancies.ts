import type { BillingContext } from '../../context.js';

/** What the last reconciliation found. */
export async function listDiscrepancies({ discrepancies }: BillingContext) {
  return discrepancies.read();
}
