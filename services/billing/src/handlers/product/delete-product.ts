import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';

export function deleteProduct(context: BillingContext): Handler<ProductServiceService['deleteProduct']> {
  return async ({ productId }) => {
    if (await context.subscriptions.isProductInUse(productId)) {
      throw fail('PRODUCT_IN_USE', 'services of this product are in use: deactivate it instead');
    }
    if (!(await context.products.delete(productId))) throw fail('PRODUCT_NOT_FOUND', 'there is no such product');
    return {};
  };
}
