import type { Handler } from '@panel/rpc';
import type { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentOrder } from '../../present/order.js';
import { cancelOrder } from '../../usecases/orders/cancel-order.js';
import { getOrder } from '../../usecases/orders/get-order.js';

export function handleCancelOrder(context: BillingContext): Handler<OrderServiceService['cancelOrder']> {
  return async ({ orderId }, call) => ({
    order: presentOrder(await cancelOrder(context, await getOrder(context, orderId, call))),
  });
}
