import { serve, type ServedService } from '@panel/rpc';
import { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { orderEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { cancelOrderHandler } from './cancel-order.js';
import { checkoutHandler } from './checkout.js';
import { getOrderHandler } from './get-order.js';
import { listOrdersHandler } from './list-orders.js';

export function serveOrders(context: BillingContext): ServedService {
  return serve(OrderServiceService, {
    cancelOrder: withActivity(context, cancelOrderHandler(context), orderEvent('billing:order.cancel')),
    checkout: withActivity(context, checkoutHandler(context), orderEvent('billing:order.create')),
    getOrder: getOrderHandler(context),
    listOrders: listOrdersHandler(context),
  });
}
