import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProduct } from '../../present/product.js';
import { fail } from '../../reasons.js';
import { checkProduct } from '../../usecases/products/check-product.js';
import { readPlan, readTemplate } from '../read-request.js';

export function updateProduct(context: BillingContext): Handler<ProductServiceService['updateProduct']> {
  return async (request) => {
    const { name, slug, description, category, active, stock, perUserLimit } = request;
    const changes = checkProduct(
      {
        name,
        slug,
        description,
        category,
        active,
        stock: stock && (stock.value ?? null),
        perUserLimit: perUserLimit && (perUserLimit.value ?? null),
        plans: request.plans?.plans.map(readPlan),
        server: request.server && readTemplate(request.server),
        upgradeProductIds: request.upgradeProductIds?.productIds,
      },
      (await context.settings.read()).currency,
    );
    const product = await context.products.update(request.productId, { ...changes, updatedAt: context.clock() });
    if (!product) throw fail('PRODUCT_NOT_FOUND', 'there is no such product');
    return { product: presentProduct(product) };
  };
}
