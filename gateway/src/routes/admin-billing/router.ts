import {
  CouponServiceService,
  InvoiceServiceService,
  OrderServiceService,
  ProductServiceService,
  ServiceServiceService,
} from '@panel/protos/billing';
import { admin, notImplemented, type Route } from '../../declaration/route.js';

const billing = '/api/v1/admin/billing';

export const adminBillingRoutes: readonly Route[] = [
  notImplemented('GET', `${billing}/products`, 'All products', admin(ProductServiceService.listProducts)),
  notImplemented('POST', `${billing}/products`, 'Create a product', admin(ProductServiceService.createProduct)),
  notImplemented('PUT', `${billing}/products/{id}`, 'Change a product', admin(ProductServiceService.updateProduct)),
  notImplemented('DELETE', `${billing}/products/{id}`, 'Delete a product', admin(ProductServiceService.deleteProduct)),
  notImplemented('GET', `${billing}/orders`, 'All orders', admin(OrderServiceService.listOrders)),
  notImplemented('GET', `${billing}/invoices`, 'All invoices', admin(InvoiceServiceService.listInvoices)),
  notImplemented('GET', `${billing}/services`, 'All services', admin(ServiceServiceService.listServices)),
  notImplemented('GET', `${billing}/coupons`, 'All coupons', admin(CouponServiceService.listCoupons)),
  notImplemented('POST', `${billing}/coupons`, 'Create a coupon', admin(CouponServiceService.createCoupon)),
];
