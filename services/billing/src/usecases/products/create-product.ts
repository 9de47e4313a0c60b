import { randomUUID } from 'node:crypto';
import { requireValid } from '@panel/kit/errors';
import { createOnce } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { checkProduct, type ProductFields } from '../../domain/check-product.js';
import type { Product } from '../../domain/product.js';
import { assignPlanIds } from './assign-plan-ids.js';
import { requireEgg } from './require-egg.js';
import { productIdProblems } from './require-products.js';

/** Idempotent by id. Throws INVALID_FIELDS, PRODUCT_SLUG_TAKEN. */
export async function createProduct(
  { products, settings, eggs, clock }: BillingContext,
  given: ProductFields,
  idempotencyId: string = randomUUID(),
): Promise<Product> {
  const fields = checkProduct(given, (await settings.read()).currency);
  const at = clock();
  const { object } = await createOnce(idempotencyId, {
    find: async (id) => products.get(id),
    create: async (id) => {
      const created = { ...fields, plans: assignPlanIds(fields.plans), id, createdAt: at, updatedAt: at };
      requireValid(await productIdProblems({ products }, 'upgrade_product_ids', created.upgradeProductIds));
      await requireEgg({ eggs }, created.server.eggId);
      await products.create(created);
      try {
        await requireEgg({ eggs }, created.server.eggId);
      } catch (error) {
        await products.delete(id);
        throw error;
      }
      return created;
    },
  });
  return object;
}
