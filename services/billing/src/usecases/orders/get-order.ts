import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { OrderRecord } from '../../domain/order.js';
import { fail } from '../../reasons.js';
import { mayUse } from '../../domain/own-or-staff.js';

/** Own, or any for staff. Throws ORDER_NOT_FOUND, also for those of others. */
export async function getOrder({ orders }: BillingContext, orderId: string, caller: Caller): Promise<OrderRecord> {
  const order = await orders.get(orderId);
  const isVisible = order && order.status !== 'placing' && order.status !== 'failed';
  if (!isVisible || !mayUse(caller, order.userId)) throw fail('ORDER_NOT_FOUND', 'there is no such order');
  return order;
}
