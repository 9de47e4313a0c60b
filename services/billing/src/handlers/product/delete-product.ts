import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { deleteProduct } from '../../usecases/products/delete-product.js';

export function handleDeleteProduct(context: BillingContext): Handler<ProductServiceService['deleteProduct']> {
  return async ({ productId }) => {
    await deleteProduct(context, productId);
    return {};
  };
}
