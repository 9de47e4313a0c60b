import type { BillingContext } from '../../context.js';

export async function removeCoupon({ carts, clock }: BillingContext, userId: string): Promise<void> {
  await carts.setCoupon(userId, '', clock());
}
