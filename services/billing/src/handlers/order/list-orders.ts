import { type Handler, presentEach } from '@panel/rpc';
import { Order, type OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { parsePage } from '@panel/kit/mongo';
import { pageInfo, readOrderStatus, readScope, statusFilter } from '../read-request.js';
import { showOrder } from './show-order.js';

export function listOrders(context: BillingContext): Handler<OrderServiceService['listOrders']> {
  return async (request, call) => {
    const filter = { ...readScope(call, request), ...statusFilter(readOrderStatus(request.status)) };
    const page = parsePage(request.page, { created_at: 'createdAt', number: 'number', total: 'totalMinor' });
    const { orders, total } = await context.orders.list(filter, page);
    return { orders: presentEach(call, orders, showOrder, Order), page: pageInfo(page, total) };
  };
}
