import { account, planned, type Route } from '../route.js';

export const billingRoutes: readonly Route[] = [
  planned('GET', '/api/v1/billing/invoices', 'Your invoices', account),
  planned('GET', '/api/v1/billing/invoices/{id}', 'One invoice', account),
  planned('GET', '/api/v1/billing/services', 'What you have bought', account),
  planned('GET', '/api/v1/billing/credits', 'Your credit balance', account),
];
