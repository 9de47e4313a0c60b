import { account, notImplemented, type Route } from '../../declaration/route.js';

export const billingRoutes: readonly Route[] = [
  notImplemented('GET', '/api/v1/billing/invoices', 'Your invoices', account),
  notImplemented('GET', '/api/v1/billing/invoices/{id}', 'One invoice', account),
  notImplemented('GET', '/api/v1/billing/services', 'What you have bought', account),
  notImplemented('GET', '/api/v1/billing/credits', 'Your credit balance', account),
];
