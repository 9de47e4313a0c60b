import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProduct } from '../../present/product.js';
import { getProduct } from '../../usecases/products/get-product.js';

export function handleGetProduct(context: BillingContext): Handler<ProductServiceService['getProduct']> {
  return async ({ productId }, call) => ({ product: presentProduct(await getProduct(context, productId, call)) });
}
