import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProduct } from '../../present/product.js';
import { createProduct } from '../../usecases/products/create-product.js';
import { readNewProduct } from '../read-request.js';

export function handleCreateProduct(context: BillingContext): Handler<ProductServiceService['createProduct']> {
  return async ({ product }, { idempotencyId }) => ({
    product: presentProduct(await createProduct(context, readNewProduct(product), idempotencyId)),
  });
}
