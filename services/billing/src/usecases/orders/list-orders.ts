import type { PageQuery } from '@panel/kit/mongo';
import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { OrderStatus } from '../../domain/order.js';
import { type ListScope, ownerFilter } from '../../domain/own-or-staff.js';

/** `status` null: all. */
export async function listOrders(
  { orders }: BillingContext,
  { status, ...scope }: ListScope & { readonly status: OrderStatus | null },
  page: PageQuery,
  caller: Caller,
) {
  return orders.list({ ...ownerFilter(caller, scope), ...(status === null ? {} : { status }) }, page);
}
