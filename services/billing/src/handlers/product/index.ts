import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { ProductServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { productDeletedEvent, productEvent } from '../../present/activity-events.js';
import { handleCreateProduct } from './create-product.js';
import { handleDeleteProduct } from './delete-product.js';
import { handleGetProduct } from './get-product.js';
import { handleListProducts } from './list-products.js';
import { handleUpdateProduct } from './update-product.js';

export function serveProducts(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(ProductServiceService, {
    createProduct: withActivity(activity, handleCreateProduct(context), productEvent('billing:product.create')),
    deleteProduct: withActivity(activity, handleDeleteProduct(context), productDeletedEvent),
    getProduct: handleGetProduct(context),
    listProducts: handleListProducts(context),
    updateProduct: withActivity(activity, handleUpdateProduct(context), productEvent('billing:product.update')),
  });
}
