import type { PageQuery } from '@panel/kit/mongo';
import { type Caller, requireStaff } from '@panel/rpc';
import type { BillingContext } from '../../context.js';

/** Inactive products for staff only. */
export async function listProducts(
  { products }: BillingContext,
  { includeInactive, eggId }: { readonly includeInactive: boolean; readonly eggId: string | null },
  page: PageQuery,
  caller: Caller,
) {
  if (includeInactive) requireStaff(caller);
  return products.list({ activeOnly: !includeInactive, eggId }, page);
}
