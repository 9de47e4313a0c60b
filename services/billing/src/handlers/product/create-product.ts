import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { randomUUID } from 'node:crypto';
import { invalidFields } from '@panel/kit/errors';
import { createOnce } from '@panel/rpc';
import { presentProduct } from '../../present/product.js';
import { checkProduct } from '../../usecases/products/check-product.js';
import { readPlan, readTemplate } from '../read-request.js';

export function createProduct(context: BillingContext): Handler<ProductServiceService['createProduct']> {
  return async ({ product: given }, { idempotencyId = randomUUID() }) => {
    if (!given?.server) throw invalidFields({ server: ['is needed'] });
    const { name, slug, description, category, active } = given;
    const fields = checkProduct(
      {
        name,
        slug,
        description,
        category,
        active,
        stock: given.stock ?? null,
        perUserLimit: given.perUserLimit ?? null,
        plans: given.plans.map(readPlan),
        server: readTemplate(given.server),
        upgradeProductIds: given.upgradeProductIds,
      },
      (await context.settings.read()).currency,
    );
    const at = context.clock();
    const { object: product } = await createOnce(idempotencyId, {
      find: async (id) => context.products.get(id),
      create: async (id) => {
        const created = { ...fields, id, createdAt: at, updatedAt: at };
        await context.products.create(created);
        return created;
      },
    });
    return { product: presentProduct(product) };
  };
}
