import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { OrderRecord } from '../../domain/order.js';
import { fail } from '../../reasons.js';
import { mayUse } from '../own-or-staff.js';

/** An own order, or any for staff by the row of the RPC. Throws ORDER_NOT_FOUND, for those of others as well. */
export async function getOrder({ orders }: BillingContext, orderId: string, caller: Caller): Promise<OrderRecord> {
  const order = await orders.get(orderId);
  const isVisible = order && order.status !== 'placing' && order.status !== 'failed';
  if (!isVisible || !mayUse(caller, order.userId)) throw fail('ORDER_NOT_FOUND', 'there is no such order');
  return order;
}
