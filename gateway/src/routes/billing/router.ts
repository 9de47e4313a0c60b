import { CreditServiceService, InvoiceServiceService, Scope, ServiceServiceService } from '@panel/protos/billing';
import { pageRequest } from '../../declaration/list-query.js';
import { account, json, list, one, route, type Route } from '../../declaration/route.js';
import { documentFormat, documentReply } from './documents.js';
import { invoiceStatusOf, presentCredits, presentInvoice, presentService, serviceStatusOf } from './present.js';
import {
  cancelQuery,
  credits,
  documentQuery,
  invoice,
  invoiceListQuery,
  paidInvoice,
  payBody,
  service,
  serviceListQuery,
} from './schema.js';

const invoiceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/billing/invoices',
    summary: 'Your invoices',
    access: account(InvoiceServiceService.listInvoices),
    rate: 'general',
    query: invoiceListQuery,
    response: list(invoice),
    handler: async ({ query, services, rpc }) => {
      const status = invoiceStatusOf(query.status);
      const request = { page: pageRequest(query), scope: Scope.OWN, status, userId: '' };
      const { invoices, page } = await services.invoices.listInvoices(request, rpc);
      return { items: invoices.map(presentInvoice), page };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/billing/invoices/{id}',
    summary: 'One invoice, as data or as a document',
    access: account(InvoiceServiceService.getInvoice),
    rate: 'general',
    query: documentQuery,
    response: { ...one(invoice), rawTypes: ['text/html', 'application/pdf'] },
    handler: async ({ params, query, services, rpc }) => {
      const invoiceId = params.id;
      if (query.format === 'json')
        return presentInvoice((await services.invoices.getInvoice({ invoiceId }, rpc)).invoice);
      const request = { invoiceId, format: documentFormat(query.format) };
      return documentReply((await services.invoices.renderInvoice(request, rpc)).document);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/billing/invoices/{id}/pay',
    summary: 'Pay an invoice',
    access: account(InvoiceServiceService.payInvoice),
    rate: 'general',
    body: json(payBody),
    response: one(paidInvoice),
    handler: async ({ params, body, services, rpc }) => {
      const request = {
        invoiceId: params.id,
        paymentMethod: body.payment_method,
        returnUrl: body.return_url,
        savePaymentMethod: body.save_payment_method,
      };
      const answer = await services.invoices.payInvoice(request, rpc);
      return { invoice: presentInvoice(answer.invoice), payment_url: answer.paymentUrl || null };
    },
  }),
];

const serviceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/billing/services',
    summary: 'What you have bought',
    access: account(ServiceServiceService.listServices),
    rate: 'general',
    query: serviceListQuery,
    response: list(service),
    handler: async ({ query, services, rpc }) => {
      const status = serviceStatusOf(query.status);
      const request = { page: pageRequest(query), scope: Scope.OWN, status, userId: '' };
      const answer = await services.boughtServices.listServices(request, rpc);
      return { items: answer.services.map(presentService), page: answer.page };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/billing/services/{id}',
    summary: 'Cancel a service, at the end of what is paid for unless `immediately`',
    access: account(ServiceServiceService.cancelService),
    rate: 'general',
    query: cancelQuery,
    response: one(service),
    handler: async ({ params, query, services, rpc }) => {
      const request = { serviceId: params.id, immediately: query.immediately, reason: '' };
      return presentService((await services.boughtServices.cancelService(request, rpc)).service);
    },
  }),
];

export const billingRoutes: readonly Route[] = [
  ...invoiceRoutes,
  ...serviceRoutes,
  route({
    method: 'GET',
    path: '/api/v1/billing/credits',
    summary: 'Your credit balance',
    access: account(CreditServiceService.getCredits),
    rate: 'general',
    response: one(credits),
    handler: async ({ services, rpc }) => presentCredits(await services.credits.getCredits({ userId: '' }, rpc)),
  }),
];
