import { type Caller, isStaff } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { Product } from '../../domain/product.js';
import { fail } from '../../reasons.js';

/** Inactive ones for staff only. Throws PRODUCT_NOT_FOUND. */
export async function getProduct({ products }: BillingContext, productId: string, caller: Caller): Promise<Product> {
  const product = await products.get(productId);
  if (!product || !(product.active || isStaff(caller))) throw fail('PRODUCT_NOT_FOUND', 'there is no such product');
  return product;
}
