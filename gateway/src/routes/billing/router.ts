import {
  ChangePlanRequest,
  CreditServiceService,
  GiftCodeServiceService,
  InvoiceServiceService,
  OrderServiceService,
  PayInvoiceRequest,
  PaymentServiceService,
  ProfileServiceService,
  Scope,
  ServiceServiceService,
  UpdateProfileRequest,
} from '@panel/protos/billing';
import { noBody } from '../../declaration/body.js';
import { listQuery, pageRequest, selectPage } from '../../declaration/list-query.js';
import { account, empty, json, list, one, route, type Route } from '../../declaration/route.js';
import { order } from '../store/resource.js';
import { documentFormat, documentReply } from './documents.js';
import { readMoney } from './money.js';
import {
  bankTransfer,
  buyCreditsBody,
  cancelQuery,
  changedPlan,
  changePlan,
  credits,
  documentQuery,
  invoice,
  paidInvoice,
  pay,
  paymentMethods,
  profile,
  profileChanges,
  redeemBody,
  redeemed,
  service,
  storedMethod,
} from './resource.js';

const billing = '/api/v1/billing';
const own = { scope: Scope.OWN, userId: '' };

const invoiceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/invoices`,
    summary: 'Your invoices',
    access: account(InvoiceServiceService.listInvoices),
    rate: 'general',
    query: listQuery('created_at', 'number', 'due_at', 'total').extend({
      status: invoice.schema.shape.status.optional(),
    }),
    response: list(invoice.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), ...own, status: invoice.fields.status.read(query.status) };
      const { invoices, page } = await services.invoices.listInvoices(request, rpc);
      return { items: invoices.map(invoice.present), page };
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/invoices/{id}`,
    summary: 'One invoice, as data or as a document',
    access: account(InvoiceServiceService.getInvoice),
    rate: 'general',
    query: documentQuery,
    response: { ...one(invoice.schema), rawTypes: ['text/html', 'application/pdf', 'application/xml'] },
    headers: ['Content-Disposition', 'Content-Security-Policy'],
    handler: async ({ params, query, services, rpc }) => {
      const invoiceId = params.id;
      if (query.format === 'json') {
        return invoice.present((await services.invoices.getInvoice({ invoiceId }, rpc)).invoice);
      }
      const request = { invoiceId, format: documentFormat(query.format) };
      return documentReply((await services.invoices.renderInvoice(request, rpc)).document);
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/invoices/{id}/pay`,
    summary: 'Pay an invoice',
    access: account(InvoiceServiceService.payInvoice),
    rate: 'general',
    body: json(pay.createBody),
    response: one(paidInvoice.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = pay.read(PayInvoiceRequest, body, { invoiceId: params.id });
      return paidInvoice.present(await services.invoices.payInvoice(request, rpc));
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/invoices/{id}/bank-transfer`,
    summary: 'How to pay an invoice from a bank account',
    access: account(InvoiceServiceService.getBankTransfer),
    rate: 'general',
    response: one(bankTransfer.schema),
    handler: async ({ params, services, rpc }) =>
      bankTransfer.present(await services.invoices.getBankTransfer({ invoiceId: params.id }, rpc)),
  }),
  route({
    method: 'GET',
    path: `${billing}/orders`,
    summary: 'Your orders',
    access: account(OrderServiceService.listOrders),
    rate: 'general',
    query: listQuery('created_at', 'number', 'total').extend({ status: order.schema.shape.status.optional() }),
    response: list(order.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), ...own, status: order.fields.status.read(query.status) };
      const { orders, page } = await services.orders.listOrders(request, rpc);
      return { items: orders.map(order.present), page };
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/orders/{id}`,
    summary: 'One order',
    access: account(OrderServiceService.getOrder),
    rate: 'general',
    response: one(order.schema),
    handler: async ({ params, services, rpc }) =>
      order.present((await services.orders.getOrder({ orderId: params.id }, rpc)).order),
  }),
  route({
    method: 'DELETE',
    path: `${billing}/orders/{id}`,
    summary: 'Cancel an order that is not paid',
    access: account(OrderServiceService.cancelOrder),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.orders.cancelOrder({ orderId: params.id }, rpc);
    },
  }),
];

const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/services`,
    summary: 'What you have bought',
    access: account(ServiceServiceService.listServices),
    rate: 'general',
    query: listQuery('created_at', 'next_due_at').extend({ status: service.schema.shape.status.optional() }),
    response: list(service.schema),
    handler: async ({ query, services, rpc }) => {
      const request = { page: pageRequest(query), ...own, status: service.fields.status.read(query.status) };
      const { services: found, page } = await services.boughtServices.listServices(request, rpc);
      return { items: found.map(service.present), page };
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/services/{id}`,
    summary: 'One service',
    access: account(ServiceServiceService.getService),
    rate: 'general',
    response: one(service.schema),
    handler: async ({ params, services, rpc }) =>
      service.present((await services.boughtServices.getService({ serviceId: params.id }, rpc)).service),
  }),
  route({
    method: 'DELETE',
    path: `${billing}/services/{id}`,
    summary: 'Cancel a service at the end of its period, or at once',
    access: account(ServiceServiceService.cancelService),
    rate: 'general',
    query: cancelQuery,
    response: empty,
    handler: async ({ params, query, services, rpc }) => {
      const request = { serviceId: params.id, immediately: query.immediately, reason: '' };
      await services.boughtServices.cancelService(request, rpc);
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/services/{id}/resume`,
    summary: 'Take back a cancellation at the end of the period',
    access: account(ServiceServiceService.resumeService),
    rate: 'general',
    body: json(noBody),
    response: one(service.schema),
    handler: async ({ params, services, rpc }) =>
      service.present((await services.boughtServices.resumeService({ serviceId: params.id }, rpc)).service),
  }),
  route({
    method: 'POST',
    path: `${billing}/services/{id}/plan`,
    summary: 'Change the plan; the difference for the rest of the period is invoiced or credited',
    access: account(ServiceServiceService.changePlan),
    rate: 'general',
    body: json(changePlan.createBody),
    response: one(changedPlan.schema),
    handler: async ({ params, body, services, rpc }) => {
      const request = changePlan.read(ChangePlanRequest, body, { serviceId: params.id });
      return changedPlan.present(await services.boughtServices.changePlan(request, rpc));
    },
  }),
];

const moneyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${billing}/credits`,
    summary: 'Your credit balance',
    access: account(CreditServiceService.getCredits),
    rate: 'general',
    response: one(credits.schema),
    handler: async ({ services, rpc }) => credits.present(await services.credits.getCredits({ userId: '' }, rpc)),
  }),
  route({
    method: 'POST',
    path: `${billing}/credits`,
    summary: 'Buy credits',
    access: account(CreditServiceService.buyCredits),
    rate: 'general',
    body: json(buyCreditsBody),
    response: one(paidInvoice.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => {
      const amount = readMoney(body.amount);
      const request = { amount, paymentMethod: body.payment_method, returnUrl: body.return_url };
      return paidInvoice.present(await services.credits.buyCredits(request, rpc));
    },
  }),
  route({
    method: 'POST',
    path: `${billing}/gift-codes/redeem`,
    summary: 'Redeem a gift code: its amount is added to your credits',
    access: account(GiftCodeServiceService.redeemGiftCode),
    rate: 'general',
    body: json(redeemBody),
    response: one(redeemed.schema),
    status: 201,
    handler: async ({ body, services, rpc }) => redeemed.present(await services.giftCodes.redeemGiftCode(body, rpc)),
  }),
  route({
    method: 'GET',
    path: `${billing}/payment-methods`,
    summary: 'What can be chosen as payment_method',
    access: account(PaymentServiceService.listPaymentMethods),
    rate: 'general',
    response: one(paymentMethods),
    handler: async ({ services, rpc }) => services.payments.listPaymentMethods({}, rpc),
  }),
  route({
    method: 'GET',
    path: `${billing}/stored-methods`,
    summary: 'Your payment methods that gateways keep for renewals',
    access: account(PaymentServiceService.listStoredMethods),
    rate: 'general',
    query: listQuery('created_at', 'gateway', 'label'),
    response: list(storedMethod.schema),
    handler: async ({ query, services, rpc }) => {
      const { storedMethods } = await services.payments.listStoredMethods({}, rpc);
      return selectPage(storedMethods.map(storedMethod.present), query, ({ label }) => label);
    },
  }),
  route({
    method: 'DELETE',
    path: `${billing}/stored-methods/{id}`,
    summary: 'Forget a stored payment method',
    access: account(PaymentServiceService.deleteStoredMethod),
    rate: 'general',
    response: empty,
    handler: async ({ params, services, rpc }) => {
      await services.payments.deleteStoredMethod({ storedMethodId: params.id }, rpc);
    },
  }),
  route({
    method: 'GET',
    path: `${billing}/profile`,
    summary: 'Who is on your invoices',
    access: account(ProfileServiceService.getProfile),
    rate: 'general',
    response: one(profile.schema),
    handler: async ({ services, rpc }) => profile.present(await services.profiles.getProfile({ userId: '' }, rpc)),
  }),
  route({
    method: 'PUT',
    path: `${billing}/profile`,
    summary: 'Change who is on your invoices; only the fields given',
    access: account(ProfileServiceService.updateProfile),
    rate: 'general',
    body: json(profileChanges.updateBody),
    response: one(profile.schema),
    handler: async ({ body, services, rpc }) => {
      const request = profileChanges.read(UpdateProfileRequest, body);
      return profile.present(await services.profiles.updateProfile(request, rpc));
    },
  }),
];

export const billingRoutes: readonly Route[] = [...invoiceRoutes, ...serviceRoutes, ...moneyRoutes];
