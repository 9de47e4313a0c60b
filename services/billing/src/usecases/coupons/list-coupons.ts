import type { PageQuery } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';

export async function listCoupons({ coupons }: BillingContext, page: PageQuery) {
  return coupons.list(page);
}
