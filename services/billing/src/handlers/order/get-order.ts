import type { Handler } from '@panel/rpc';
import type { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentOrder } from '../../present/order.js';
import { getOrder } from '../../usecases/orders/get-order.js';

export function handleGetOrder(context: BillingContext): Handler<OrderServiceService['getOrder']> {
  return async ({ orderId }, call) => ({ order: presentOrder(await getOrder(context, orderId, call)) });
}
