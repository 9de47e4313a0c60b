import { type Handler, presentEach } from '@panel/rpc';
import { Order, type OrderServiceService } from '@panel/protos/billing';
import { parsePage } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import { presentOrder } from '../../present/order.js';
import { listOrders } from '../../usecases/orders/list-orders.js';
import { pageInfo, readOrderStatus, readScope } from '../read-request.js';

export function handleListOrders(context: BillingContext): Handler<OrderServiceService['listOrders']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', number: 'number', total: 'totalMinor' });
    const filter = { ...readScope(request), status: readOrderStatus(request.status) };
    const { orders, total } = await listOrders(context, filter, page, call);
    return { orders: presentEach(call, orders, presentOrder, Order), page: pageInfo(page, total) };
  };
}
