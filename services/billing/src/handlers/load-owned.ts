import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../context.js';
import { fail } from '../reasons.js';
import { mayUse } from './read-request.js';

/** An own invoice, or any for staff, by the row of the RPC. Throws INVOICE_NOT_FOUND, for those of others as well. */
export async function loadInvoice({ invoices }: BillingContext, invoiceId: string, call: Caller) {
  const invoice = await invoices.get(invoiceId);
  if (!invoice || !mayUse(call, invoice.userId)) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
  return invoice;
}

/** Throws ORDER_NOT_FOUND, for those of others as well. */
export async function loadOrder({ orders }: BillingContext, orderId: string, call: Caller) {
  const order = await orders.get(orderId);
  const isVisible = order && order.status !== 'placing' && order.status !== 'failed';
  if (!isVisible || !mayUse(call, order.userId)) throw fail('ORDER_NOT_FOUND', 'there is no such order');
  return order;
}

/** Throws SERVICE_NOT_FOUND, for those of others as well. */
export async function loadSubscription({ subscriptions }: BillingContext, serviceId: string, call: Caller) {
  const subscription = await subscriptions.get(serviceId);
  if (!subscription || !mayUse(call, subscription.userId)) throw fail('SERVICE_NOT_FOUND', 'there is no such service');
  return subscription;
}
