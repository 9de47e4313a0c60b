import { CartServiceService, OrderServiceService, ProductServiceService } from '@panel/protos/billing';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { account, list, notImplemented, route, type Route } from '../../declaration/route.js';
import { presentProduct } from './present.js';
import { product } from './schema.js';

export const storeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/store/products',
    summary: 'What the store sells',
    access: account(ProductServiceService.listProducts),
    rate: 'general',
    query: listQuery('created_at', 'name'),
    response: list(product),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), includeInactive: false };
      const { products, page } = await services.products.listProducts(request, rpc);
      return { items: products.map(presentProduct), page };
    },
  }),
  notImplemented('GET', '/api/v1/store/products/{id}', 'One product', account(ProductServiceService.getProduct)),
  notImplemented('GET', '/api/v1/store/cart', 'Your cart', account(CartServiceService.getCart)),
  notImplemented('POST', '/api/v1/store/cart', 'Put something into the cart', account(CartServiceService.addCartItem)),
  notImplemented(
    'DELETE',
    '/api/v1/store/cart/{item-id}',
    'Take something out of the cart',
    account(CartServiceService.removeCartItem),
  ),
  notImplemented('POST', '/api/v1/store/checkout', 'Buy what is in the cart', account(OrderServiceService.checkout)),
  notImplemented('POST', '/api/v1/store/coupon', 'Apply a coupon to the cart', account(CartServiceService.applyCoupon)),
];
