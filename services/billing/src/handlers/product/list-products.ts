import { type Handler, presentEach } from '@panel/rpc';
import { Product, type ProductServiceService } from '@panel/protos/billing';
import { parsePage } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import { presentProduct } from '../../present/product.js';
import { listProducts } from '../../usecases/products/list-products.js';
import { pageInfo } from '../read-request.js';

export function handleListProducts(context: BillingContext): Handler<ProductServiceService['listProducts']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'name' });
    const filter = { includeInactive: request.includeInactive, eggId: request.eggId || null };
    const { products, total } = await listProducts(context, filter, page, call);
    return { products: presentEach(call, products, presentProduct, Product), page: pageInfo(page, total) };
  };
}
