import { serve, type ServedService } from '@panel/rpc';
import { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../context.js';
import { listProducts } from './product/list-products.js';

/** Everything billing answers. */
export function createHandlers(context: BillingContext): ServedService[] {
  return [serve({ listProducts: ProductServiceService.listProducts }, { listProducts: listProducts(context) })];
}
