import { requireValid } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { checkProduct, type ProductFields } from '../../domain/check-product.js';
import type { Product } from '../../domain/product.js';
import { fail } from '../../reasons.js';
import { assignPlanIds } from './assign-plan-ids.js';
import { requireEgg } from './require-egg.js';
import { productIdProblems } from './require-products.js';

/** Throws INVALID_FIELDS, PRODUCT_NOT_FOUND, PRODUCT_SLUG_TAKEN. */
export async function updateProduct(
  { products, settings, eggs, clock }: BillingContext,
  productId: string,
  given: Partial<ProductFields>,
): Promise<Product> {
  const fields = checkProduct(given, (await settings.read()).currency);
  const plans = fields.plans && { plans: assignPlanIds(fields.plans) };
  const changes = { ...fields, ...plans };
  const before = await products.get(productId);
  if (!before) throw productNotFound();
  const upgrades = changes.upgradeProductIds ?? [];
  requireValid(await productIdProblems({ products }, 'upgrade_product_ids', upgrades, before.upgradeProductIds));
  const eggId = changes.server?.eggId ?? before.server.eggId;
  const isOtherEgg = eggId !== before.server.eggId;
  if (isOtherEgg) await requireEgg({ eggs }, eggId);
  const product = await products.update(productId, { ...changes, updatedAt: clock() });
  if (!product) throw productNotFound();
  if (!isOtherEgg) return product;
  try {
    await requireEgg({ eggs }, eggId);
  } catch (error) {
    await products.revert(before, eggId, Object.keys(changes) as (keyof ProductFields)[]);
    throw error;
  }
  return product;
}

function productNotFound() {
  return fail('PRODUCT_NOT_FOUND', 'there is no such product');
}
