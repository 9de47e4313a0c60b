import {
  CouponServiceService,
  CreditServiceService,
  GrantCreditsRequest,
  InvoiceServiceService,
  OrderServiceService,
  ProductServiceService,
  ProfileServiceService,
  RefundInvoiceRequest,
  ReportServiceService,
  Scope,
  ServiceServiceService,
  SetTaxExemptionRequest,
  UpdateServiceRequest,
} from '@panel/protos/billing';
import { noBody } from '../../declaration/body.js';
import { listQuery, pageRequest } from '../../declaration/list-query.js';
import { admin, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { withSentNames } from '../../declaration/sent-names.js';
import { credits, invoice, profile, service } from '../billing/resource.js';
import { order, product } from '../store/resource.js';
import {
  bankStatement,
  bankStatementBody,
  bankStatementRequest,
  coupon,
  createCouponBody,
  createCouponRequest,
  createProductBody,
  createProductRequest,
  discrepancies,
  eggFilter,
  exemption,
  grant,
  grantRequest,
  invoiceStatusBody,
  productNames,
  refund,
  refundRequest,
  serviceRequest,
  updateCouponBody,
  updateCouponRequest,
  updateProductBody,
  updateProductRequest,
  userFilter,
} from './resource.js';
import type { Services } from '../../services.js';

const billing = '/api/v1/admin/billing';
/** Of a statement with thousands of payments. */
const importTimeoutMs = 60_000;

/** Default of amounts. */
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
    response: list(product.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), includeInactive: true, eggId: query.egg_id ?? '' };
      const { products, page } = await services.products.listProducts(request, rpc);
      return { items: products.map(product.present), page };
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/products`,
    summary: 'Create a product',
    access: admin(ProductServiceService.createProduct),
    rate: 'general',
    body: json(createProductBody),
    response: one(product.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const request = createProductRequest(body, await shopCurrency(services));
      const created = await withSentNames(productNames(body), services.products.createProduct(request, rpc));
      return product.present(created.product);
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/products/{id}`,
    summary: 'Change a product; only the fields given',
    access: admin(ProductServiceService.updateProduct),
    rate: 'general',
    body: json(updateProductBody),
    response: one(product.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = updateProductRequest(params.id, body, await shopCurrency(services));
      const updated = await withSentNames(productNames(body), services.products.updateProduct(request, rpc));
      return product.present(updated.product);
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
    query: listQuery('created_at', 'number', 'total').extend({
      status: order.schema.shape.status.optional(),
      user_id: userFilter,
    }),
    response: list(order.schema),
    handler: async ({ query, services, rpc }) => {
      const scope = { scope: Scope.ALL, userId: query.user_id };
      const request = { page: pageRequest(query), ...scope, status: order.fields.status.read(query.status) };
      const { orders, page } = await services.orders.listOrders(request, rpc);
      return { items: orders.map(order.present), page };
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/invoices`,
    summary: 'All invoices',
    access: admin(InvoiceServiceService.listInvoices),
    rate: 'general',
    query: listQuery('created_at', 'number', 'due_at', 'total').extend({
      status: invoice.schema.shape.status.optional(),
      user_id: userFilter,
    }),
    response: list(invoice.schema),
    handler: async ({ query, services, rpc }) => {
      const scope = { scope: Scope.ALL, userId: query.user_id };
      const request = { page: pageRequest(query), ...scope, status: invoice.fields.status.read(query.status) };
      const { invoices, page } = await services.invoices.listInvoices(request, rpc);
      return { items: invoices.map(invoice.present), page };
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/invoices/{id}`,
    summary: 'Mark an invoice as paid, or void it',
    access: admin(InvoiceServiceService.updateInvoiceStatus),
    rate: 'general',
    body: json(invoiceStatusBody),
    response: one(invoice.schema),
    handler: async ({ params, body, services, rpc }) => {
      const status = invoice.fields.status.read(body.status);
      const request = { invoiceId: params.id, status, reference: body.reference };
      return invoice.present((await services.invoices.updateInvoiceStatus(request, rpc)).invoice);
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/invoices/{id}/refund`,
    summary: 'Give money back and issue a credit note',
    access: admin(InvoiceServiceService.refundInvoice),
    rate: 'general',
    body: json(refundRequest.createBody),
    response: one(refund.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = refundRequest.read(RefundInvoiceRequest, body, { invoiceId: params.id });
      return refund.present(await services.invoices.refundInvoice(request, rpc));
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/bank-statements`,
    summary: 'Book the incoming payments of a bank statement on their invoices',
    access: admin(InvoiceServiceService.importBankStatement),
    rate: 'general',
    body: json(bankStatementBody),
    response: one(bankStatement.schema),
    handler: async ({ body, services, rpc }) =>
      bankStatement.present(
        await services.invoices.importBankStatement(bankStatementRequest(body), { ...rpc, timeoutMs: importTimeoutMs }),
      ),
  }),
  route({
    method: 'GET',
    path: '/api/v1/admin/users/{id}/billing/profile',
    summary: 'Who is on the invoices of a user, and what decides about tax',
    access: admin(ProfileServiceService.getProfile),
    rate: 'general',
    response: one(profile.schema),
    handler: async ({ params, services, rpc }) =>
      profile.present(await services.profiles.getProfile({ userId: params.id }, rpc)),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/admin/users/{id}/billing/profile',
    summary: 'Exempt a user from tax, or end that with an empty reason',
    access: admin(ProfileServiceService.setTaxExemption),
    rate: 'general',
    body: json(exemption.createBody),
    response: one(profile.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = exemption.read(SetTaxExemptionRequest, body, { userId: params.id });
      return profile.present(await services.profiles.setTaxExemption(request, rpc));
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/admin/users/{id}/credits',
    summary: 'The credit balance of a user',
    access: admin(CreditServiceService.getCredits),
    rate: 'general',
    response: one(credits.schema),
    handler: async ({ params, services, rpc }) =>
      credits.present(await services.credits.getCredits({ userId: params.id }, rpc)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/admin/users/{id}/credits',
    summary: 'Give credits to a user, or take them with a negative amount',
    access: admin(CreditServiceService.grantCredits),
    rate: 'general',
    body: json(grantRequest.createBody),
    response: one(grant.schema),
    status: 201,
    handler: async ({ params, body, services, rpc }) => {
      const request = grantRequest.read(GrantCreditsRequest, body, { userId: params.id });
      return grant.present(await services.credits.grantCredits(request, rpc));
    },
  }),
];

const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/services`,
    summary: 'All services',
    access: admin(ServiceServiceService.listServices),
    rate: 'general',
    query: listQuery('created_at', 'next_due_at').extend({
      status: service.schema.shape.status.optional(),
      user_id: userFilter,
    }),
    response: list(service.schema),
    handler: async ({ query, services, rpc }) => {
      const scope = { scope: Scope.ALL, userId: query.user_id };
      const request = { page: pageRequest(query), ...scope, status: service.fields.status.read(query.status) };
      const { services: found, page } = await services.boughtServices.listServices(request, rpc);
      return { items: found.map(service.present), page };
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/services/{id}`,
    summary: 'Change price or due date of a service; suspend, unsuspend or terminate it',
    access: admin(ServiceServiceService.updateService),
    rate: 'general',
    body: json(serviceRequest.createBody),
    response: one(service.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = serviceRequest.read(UpdateServiceRequest, body, { serviceId: params.id });
      return service.present((await services.boughtServices.updateService(request, rpc)).service);
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/services/{id}/retry`,
    summary: 'Try again now to create or change the server of a service',
    access: admin(ServiceServiceService.retryService),
    rate: 'general',
    body: json(noBody),
    response: one(service.schema),
    handler: async ({ params, services, rpc }) =>
      service.present((await services.boughtServices.retryService({ serviceId: params.id }, rpc)).service),
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
    response: list(coupon.schema),
    handler: async ({ query, services, rpc }) => {
      const { coupons, page } = await services.coupons.listCoupons({ page: pageRequest(query) }, rpc);
      return { items: coupons.map(coupon.present), page };
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/coupons`,
    summary: 'Create a coupon',
    access: admin(CouponServiceService.createCoupon),
    rate: 'general',
    body: json(createCouponBody),
    response: one(coupon.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const created = await services.coupons.createCoupon(createCouponRequest(body), rpc);
      return coupon.present(created.coupon);
    },
  }),
  route({
    method: 'PUT',
    path: `${billing}/coupons/{id}`,
    summary: 'Change a coupon; only the fields given',
    access: admin(CouponServiceService.updateCoupon),
    rate: 'general',
    body: json(updateCouponBody),
    response: one(coupon.schema),
    handler: async ({ params, body, services, rpc }) => {
      const updated = await services.coupons.updateCoupon(updateCouponRequest(params.id, body), rpc);
      return coupon.present(updated.coupon);
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

const discrepancyRoute = route({
  method: 'GET',
  path: `${billing}/reports/discrepancies`,
  summary: 'What the last comparison of payments, services, servers and ledger found',
  access: admin(ReportServiceService.listDiscrepancies),
  rate: 'general',
  response: one(discrepancies.schema),
  handler: async ({ services, rpc }) => discrepancies.present(await services.reports.listDiscrepancies({}, rpc)),
});

export const adminBillingRoutes: readonly Route[] = [
  ...productRoutes,
  ...saleRoutes,
  ...serviceRoutes,
  ...couponRoutes,
  discrepancyRoute,
];
