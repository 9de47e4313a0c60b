import {
  CouponServiceService,
  CreditServiceService,
  InvoiceServiceService,
  Invoice_Status,
  OrderServiceService,
  ProductServiceService,
  RefundInvoiceRequest_Destination,
  ReportServiceService,
  Scope,
  ServiceServiceService,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import type { z } from 'zod';
import { noBody } from '../../declaration/body.js';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { presentMoney, readMoney } from '../billing/money.js';
import { presentCredits, presentInvoice, presentService } from '../billing/present.js';
import { credits, invoice, invoiceStatus, orderStatus, service, serviceStatus } from '../billing/schema.js';
import { readInvoiceStatus, readOrderStatus, readServiceStatus } from '../billing/status.js';
import { presentOrder, presentProduct } from '../store/present.js';
import { order, product } from '../store/schema.js';
import {
  createCouponRequest,
  createProductRequest,
  presentCoupon,
  updateCouponRequest,
  updateProductRequest,
} from './present.js';
import {
  coupon,
  createCouponBody,
  createProductBody,
  discrepancies,
  grant,
  grantBody,
  invoiceStatusBody,
  refund,
  refundBody,
  serviceBody,
  updateCouponBody,
  updateProductBody,
  eggFilter,
  userFilter,
} from './schema.js';
import type { Services } from '../../services.js';

const billing = '/api/v1/admin/billing';

/** The currency of the shop, for amounts that name none. */
async function shopCurrency(services: Services): Promise<string> {
  const { settings } = await services.settings.getSettings({});
  return settings?.general?.currency ?? '';
}

const productRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/products`,
    summary: 'All products',
    access: admin(ProductServiceService.listProducts),
    rate: 'general',
    query: listQuery('created_at', 'name').extend({ egg_id: eggFilter }),
    response: list(product),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), includeInactive: true, eggId: query.egg_id ?? '' };
      const { products, page } = await services.products.listProducts(request, rpc);
      return { items: products.map(presentProduct), page };
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/products`,
    summary: 'Create a product',
    access: admin(ProductServiceService.createProduct),
    rate: 'general',
    body: json(createProductBody),
    response: one(product),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = createProductRequest(body, await shopCurrency(services));
      return presentProduct(required((await services.products.createProduct(request, rpc)).product, 'product'));
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/products/{id}`,
    summary: 'Change a product; only the fields given',
    access: admin(ProductServiceService.updateProduct),
    rate: 'general',
    body: json(updateProductBody),
    response: one(product),
    handler: async ({ params, body, services, rpc }) => {
      const request = updateProductRequest(params.id, body, await shopCurrency(services));
      return presentProduct(required((await services.products.updateProduct(request, rpc)).product, 'product'));
    },
  }),
  route({
    method: 'DELETE',
    path: `${billing}/products/{id}`,
    summary: 'Delete a product that no service uses',
    access: admin(ProductServiceService.deleteProduct),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.products.deleteProduct({ productId: params.id }, rpc);
    },
  }),
];

const saleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/orders`,
    summary: 'All orders',
    access: admin(OrderServiceService.listOrders),
    rate: 'general',
    query: listQuery('created_at', 'number', 'total').extend({ status: orderStatus, user_id: userFilter }),
    response: list(order),
    handler: async ({ query, services, rpc }) => {
      const scope = { scope: Scope.ALL, userId: query.user_id };
      const request = { page: pageRequest(query), ...scope, status: readOrderStatus(query.status) };
      const { orders, page } = await services.orders.listOrders(request, rpc);
      return { items: orders.map(presentOrder), page };
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/invoices`,
    summary: 'All invoices',
    access: admin(InvoiceServiceService.listInvoices),
    rate: 'general',
    query: listQuery('created_at', 'number', 'due_at', 'total').extend({ status: invoiceStatus, user_id: userFilter }),
    response: list(invoice),
    handler: async ({ query, services, rpc }) => {
      const scope = { scope: Scope.ALL, userId: query.user_id };
      const request = { page: pageRequest(query), ...scope, status: readInvoiceStatus(query.status) };
      const { invoices, page } = await services.invoices.listInvoices(request, rpc);
      return { items: invoices.map(presentInvoice), page };
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/invoices/{id}`,
    summary: 'Mark an invoice as paid, or void it',
    access: admin(InvoiceServiceService.updateInvoiceStatus),
    rate: 'general',
    body: json(invoiceStatusBody),
    response: one(invoice),
    handler: async ({ params, body, services, rpc }) => {
      const status = body.status === 'paid' ? Invoice_Status.PAID : Invoice_Status.VOID;
      const request = { invoiceId: params.id, status, reference: body.reference };
      return presentInvoice((await services.invoices.updateInvoiceStatus(request, rpc)).invoice);
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/invoices/{id}/refund`,
    summary: 'Give money back and issue a credit note',
    access: admin(InvoiceServiceService.refundInvoice),
    rate: 'general',
    body: json(refundBody),
    response: one(refund),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const isOriginal = body.destination === 'original';
      const { ORIGINAL, CREDITS } = RefundInvoiceRequest_Destination;
      const request = {
        invoiceId: params.id,
        amount: body.amount === undefined ? undefined : readMoney(body.amount),
        destination: isOriginal ? ORIGINAL : CREDITS,
        reason: body.reason,
        cancelServices: body.cancel_services,
      };
      const refunded = await services.invoices.refundInvoice(request, rpc);
      return {
        invoice: presentInvoice(refunded.invoice),
        credit_note: refunded.creditNote ? presentInvoice(refunded.creditNote) : null,
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/admin/users/{id}/credits',
    summary: 'The credit balance of a user',
    access: admin(CreditServiceService.getCredits),
    rate: 'general',
    response: one(credits),
    handler: async ({ params, services, rpc }) =>
      presentCredits(await services.credits.getCredits({ userId: params.id }, rpc)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/admin/users/{id}/credits',
    summary: 'Give credits to a user, or take them with a negative amount',
    access: admin(CreditServiceService.grantCredits),
    rate: 'general',
    body: json(grantBody),
    response: one(grant),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = { userId: params.id, amount: readMoney(body.amount), reason: body.reason };
      const { entry: given, balance } = await services.credits.grantCredits(request, rpc);
      const entry = required(given, 'entry');
      const { amount, currency } = presentMoney(balance);
      return {
        entry: {
          id: entry.id,
          amount: presentMoney(entry.amount),
          reason: entry.reason,
          reference: textOrNull(entry.reference),
          created_at: isoTimeOf(entry.createTime),
        },
        balance: amount,
        currency,
      };
    },
  }),
];

const { SUSPEND, UNSUSPEND, TERMINATE, UNSPECIFIED } = UpdateServiceRequest_Action;
const actions = { suspend: SUSPEND, unsuspend: UNSUSPEND, terminate: TERMINATE };

const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/services`,
    summary: 'All services',
    access: admin(ServiceServiceService.listServices),
    rate: 'general',
    query: listQuery('created_at', 'next_due_at').extend({ status: serviceStatus, user_id: userFilter }),
    response: list(service),
    handler: async ({ query, services, rpc }) => {
      const scope = { scope: Scope.ALL, userId: query.user_id };
      const request = { page: pageRequest(query), ...scope, status: readServiceStatus(query.status) };
      const { services: found, page } = await services.boughtServices.listServices(request, rpc);
      return { items: found.map(presentService), page };
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/services/{id}`,
    summary: 'Change price or due date of a service; suspend, unsuspend or terminate it',
    access: admin(ServiceServiceService.updateService),
    rate: 'general',
    body: json(serviceBody),
    response: one(service),
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        serviceId: params.id,
        price: body.price === undefined ? undefined : readMoney(body.price),
        nextDueTime: body.next_due_at === undefined ? undefined : new Date(body.next_due_at),
        action: body.action === undefined ? UNSPECIFIED : actions[body.action],
      };
      return presentService((await services.boughtServices.updateService(request, rpc)).service);
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/services/{id}/retry`,
    summary: 'Try again now to create or change the server of a service',
    access: admin(ServiceServiceService.retryService),
    rate: 'general',
    body: json(noBody),
    response: one(service),
    handler: async ({ params, services, rpc }) =>
      presentService((await services.boughtServices.retryService({ serviceId: params.id }, rpc)).service),
  }),
];

const couponRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/coupons`,
    summary: 'All coupons',
    access: admin(CouponServiceService.listCoupons),
    rate: 'general',
    query: listQuery('created_at', 'code', 'uses'),
    response: list(coupon),
    handler: async ({ query, services, rpc }) => {
      const { coupons, page } = await services.coupons.listCoupons({ page: pageRequest(query) }, rpc);
      return { items: coupons.map(presentCoupon), page };
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/coupons`,
    summary: 'Create a coupon',
    access: admin(CouponServiceService.createCoupon),
    rate: 'general',
    body: json(createCouponBody),
    response: one(coupon),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const created = await services.coupons.createCoupon(createCouponRequest(body), rpc);
      return presentCoupon(required(created.coupon, 'coupon'));
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/coupons/{id}`,
    summary: 'Change a coupon; only the fields given',
    access: admin(CouponServiceService.updateCoupon),
    rate: 'general',
    body: json(updateCouponBody),
    response: one(coupon),
    handler: async ({ params, body, services, rpc }) => {
      const updated = await services.coupons.updateCoupon(updateCouponRequest(params.id, body), rpc);
      return presentCoupon(required(updated.coupon, 'coupon'));
    },
  }),
  route({
    method: 'DELETE',
    path: `${billing}/coupons/{id}`,
    summary: 'Delete a coupon; services keep their discount',
    access: admin(CouponServiceService.deleteCoupon),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.coupons.deleteCoupon({ couponId: params.id }, rpc);
    },
  }),
];

type DiscrepancyKind = z.input<typeof discrepancies>['discrepancies'][number]['kind'];

const discrepancyRoute = route({
  method: 'GET',
  path: `${billing}/reports/discrepancies`,
  summary: 'What the last comparison of payments, services, servers and ledger found',
  access: admin(ReportServiceService.listDiscrepancies),
  rate: 'general',
  response: one(discrepancies),
  handler: async ({ services, rpc }) => {
    const answer = await services.reports.listDiscrepancies({}, rpc);
    return {
      checked_at: isoTime(answer.checkedTime),
      discrepancies: answer.discrepancies.map(({ foundTime, kind, ...found }) => ({
        ...found,
        kind: kind as DiscrepancyKind,
        found_at: isoTimeOf(foundTime),
      })),
    };
  },
});

export const adminBillingRoutes: readonly Route[] = [
  ...productRoutes,
  ...saleRoutes,
  ...serviceRoutes,
  ...couponRoutes,
  discrepancyRoute,
];
