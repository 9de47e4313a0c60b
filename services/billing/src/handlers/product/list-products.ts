import { type Handler, requireStaff, presentEach } from '@panel/rpc';
import { parsePage } from '@panel/kit/mongo';
import { Product, type ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentProduct } from '../../present/product.js';

/** A page of the catalogue; products that are not for sale only to staff. */
export function listProducts({ products }: BillingContext): Handler<ProductServiceService['listProducts']> {
  return async (request, call) => {
    if (request.includeInactive) requireStaff(call);
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'name' });
    const found = await products.list({ activeOnly: !request.includeInactive, eggId: request.eggId || null }, page);
    return {
      products: presentEach(call, found.products, presentProduct, Product),
      page: { page: page.page, perPage: page.perPage, total: found.total },
    };
  };
}
