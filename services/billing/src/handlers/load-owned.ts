import type { Actor } from '@panel/rpc';
import type { BillingContext } from '../context.js';
import { fail } from '../reasons.js';
import { mayUse } from './read-request.js';

type Right = 'billing.view' | 'billing.update';

/** An invoice the actor may use. Throws INVOICE_NOT_FOUND, for those of others as well. */
export async function loadInvoice({ invoices }: BillingContext, invoiceId: string, actor: Actor, right: Right) {
  const invoice = await invoices.get(invoiceId);
  if (!invoice || !mayUse(actor, invoice.userId, right)) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
  return invoice;
}

/** Throws ORDER_NOT_FOUND, for those of others as well. */
export async function loadOrder({ orders }: BillingContext, orderId: string, actor: Actor, right: Right) {
  const order = await orders.get(orderId);
  const isVisible = order && order.status !== 'placing' && order.status !== 'failed';
  if (!isVisible || !mayUse(actor, order.userId, right)) throw fail('ORDER_NOT_FOUND', 'there is no such order');
  return order;
}

/** Throws SERVICE_NOT_FOUND, for those of others as well. */
export async function loadService({ services }: BillingContext, serviceId: string, actor: Actor, right: Right) {
  const service = await services.get(serviceId);
  if (!service || !mayUse(actor, service.userId, right)) throw fail('SERVICE_NOT_FOUND', 'there is no such service');
  return service;
}
