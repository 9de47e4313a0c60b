import type { Handler } from '@panel/rpc';
import type { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { loadOrder } from '../load-owned.js';
import { showOrder } from './show-order.js';

export function getOrder(context: BillingContext): Handler<OrderServiceService['getOrder']> {
  return async ({ orderId }, call) => ({
    order: showOrder(await loadOrder(context, orderId, call)),
  });
}
