import { serve, type ServedService } from '@panel/rpc';
import { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { productDeletedEvent, productEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { createProductHandler } from './create-product.js';
import { deleteProductHandler } from './delete-product.js';
import { getProductHandler } from './get-product.js';
import { listProductsHandler } from './list-products.js';
import { updateProductHandler } from './update-product.js';

export function serveProducts(context: BillingContext): ServedService {
  return serve(ProductServiceService, {
    createProduct: withActivity(context, createProductHandler(context), productEvent('billing:product.create')),
    deleteProduct: withActivity(context, deleteProductHandler(context), productDeletedEvent),
    getProduct: getProductHandler(context),
    listProducts: listProductsHandler(context),
    updateProduct: withActivity(context, updateProductHandler(context), productEvent('billing:product.update')),
  });
}
