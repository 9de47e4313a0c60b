import type { BillingContext } from '../../context.js';
import { checkProduct, type ProductFields } from '../../domain/check-product.js';
import type { Product } from '../../domain/product.js';
import { fail } from '../../reasons.js';
import { assignPlanIds } from './assign-plan-ids.js';

/** Throws INVALID_FIELDS, PRODUCT_NOT_FOUND, PRODUCT_SLUG_TAKEN. */
export async function updateProduct(
  { products, settings, clock }: BillingContext,
  productId: string,
  given: Partial<ProductFields>,
): Promise<Product> {
  const fields = checkProduct(given, (await settings.read()).currency);
  const plans = fields.plans && { plans: assignPlanIds(fields.plans) };
  const product = await products.update(productId, { ...fields, ...plans, updatedAt: clock() });
  if (!product) throw fail('PRODUCT_NOT_FOUND', 'there is no such product');
  return product;
}
