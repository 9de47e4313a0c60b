import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProduct } from '../../present/product.js';
import { updateProduct } from '../../usecases/products/update-product.js';
import { readProductChanges } from '../read-request.js';

export function handleUpdateProduct(context: BillingContext): Handler<ProductServiceService['updateProduct']> {
  return async (request) => ({
    product: presentProduct(await updateProduct(context, request.productId, readProductChanges(request))),
  });
}
