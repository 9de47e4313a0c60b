import { admin, notImplemented, type Route } from '../../declaration/route.js';

const billing = '/api/v1/admin/billing';

export const adminBillingRoutes: readonly Route[] = [
  notImplemented('GET', `${billing}/products`, 'All products', admin('billing.view')),
  notImplemented('POST', `${billing}/products`, 'Create a product', admin('billing.create')),
  notImplemented('PUT', `${billing}/products/{id}`, 'Change a product', admin('billing.update')),
  notImplemented('DELETE', `${billing}/products/{id}`, 'Delete a product', admin('billing.delete')),
  notImplemented('GET', `${billing}/orders`, 'All orders', admin('billing.view')),
  notImplemented('GET', `${billing}/invoices`, 'All invoices', admin('billing.view')),
  notImplemented('GET', `${billing}/services`, 'All services', admin('billing.view')),
  notImplemented('GET', `${billing}/coupons`, 'All coupons', admin('billing.view')),
  notImplemented('POST', `${billing}/coupons`, 'Create a coupon', admin('billing.create')),
];
