import type { BillingContext } from '../../context.js';

export async function listDiscrepancies({ discrepancies }: BillingContext) {
  return discrepancies.read();
}
