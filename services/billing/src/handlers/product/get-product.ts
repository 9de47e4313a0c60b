import type { Handler } from '@panel/rpc';
import type { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { isStaff } from '@panel/rpc';
import { presentProduct } from '../../present/product.js';
import { fail } from '../../reasons.js';

export function getProduct(context: BillingContext): Handler<ProductServiceService['getProduct']> {
  return async ({ productId }, call) => {
    const product = await context.products.get(productId);
    if (!product || !(product.active || isStaff(call))) {
      throw fail('PRODUCT_NOT_FOUND', 'there is no such product');
    }
    return { product: presentProduct(product) };
  };
}
