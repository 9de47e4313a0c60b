import { admin, planned, type Route } from '../route.js';

const billing = '/api/v1/admin/billing';

export const adminBillingRoutes: readonly Route[] = [
  planned('GET', `${billing}/products`, 'All products', admin('billing.view')),
  planned('POST', `${billing}/products`, 'Create a product', admin('billing.create')),
  planned('PUT', `${billing}/products/{id}`, 'Change a product', admin('billing.update')),
  planned('DELETE', `${billing}/products/{id}`, 'Delete a product', admin('billing.delete')),
  planned('GET', `${billing}/orders`, 'All orders', admin('billing.view')),
  planned('GET', `${billing}/invoices`, 'All invoices', admin('billing.view')),
  planned('GET', `${billing}/services`, 'All services', admin('billing.view')),
  planned('GET', `${billing}/coupons`, 'All coupons', admin('billing.view')),
  planned('POST', `${billing}/coupons`, 'Create a coupon', admin('billing.create')),
];
