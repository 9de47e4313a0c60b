import { listQuery, pageRequest } from '../list-query.js';
import { account, list, planned, route, type Route } from '../route.js';
import { presentProduct } from './present.js';
import { product } from './schema.js';

export const storeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/store/products',
    summary: 'What the store sells',
    access: account,
    rate: 'general',
    query: listQuery('created_at', 'name'),
    answer: list(product),
    work: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), includeInactive: false };
      const { products, page } = await services.products.listProducts(request, rpc);
      return { items: products.map(presentProduct), page };
    },
  }),
  planned('GET', '/api/v1/store/products/{id}', 'One product', account),
  planned('GET', '/api/v1/store/cart', 'Your cart', account),
  planned('POST', '/api/v1/store/cart', 'Put something into the cart', account),
  planned('DELETE', '/api/v1/store/cart/{item-id}', 'Take something out of the cart', account),
  planned('POST', '/api/v1/store/checkout', 'Buy what is in the cart', account),
  planned('POST', '/api/v1/store/coupon', 'Apply a coupon to the cart', account),
];
