import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

/** Throws PRODUCT_IN_USE, PRODUCT_NOT_FOUND. */
export async function deleteProduct({ products, subscriptions }: BillingContext, productId: string): Promise<void> {
  if (await subscriptions.isProductInUse(productId)) {
    throw fail('PRODUCT_IN_USE', 'services of this product are in use: deactivate it instead');
  }
  if (!(await products.delete(productId))) throw fail('PRODUCT_NOT_FOUND', 'there is no such product');
}
