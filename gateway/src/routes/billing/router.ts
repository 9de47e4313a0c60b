import { CreditServiceService, InvoiceServiceService, ServiceServiceService } from '@panel/protos/billing';
import { account, notImplemented, type Route } from '../../declaration/route.js';

export const billingRoutes: readonly Route[] = [
  notImplemented('GET', '/api/v1/billing/invoices', 'Your invoices', account(InvoiceServiceService.listInvoices)),
  notImplemented('GET', '/api/v1/billing/invoices/{id}', 'One invoice', account(InvoiceServiceService.getInvoice)),
  notImplemented(
    'GET',
    '/api/v1/billing/services',
    'What you have bought',
    account(ServiceServiceService.listServices),
  ),
  notImplemented('GET', '/api/v1/billing/credits', 'Your credit balance', account(CreditServiceService.getCredits)),
];
