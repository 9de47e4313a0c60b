import { serve, type ServedService } from '@panel/rpc';
import { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { orderEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { handleCancelOrder } from './cancel-order.js';
import { handleCheckout } from './checkout.js';
import { handleGetOrder } from './get-order.js';
import { handleListOrders } from './list-orders.js';

export function serveOrders(context: BillingContext): ServedService {
  return serve(OrderServiceService, {
    cancelOrder: withActivity(context, handleCancelOrder(context), orderEvent('billing:order.cancel')),
    checkout: withActivity(context, handleCheckout(context), orderEvent('billing:order.create')),
    getOrder: handleGetOrder(context),
    listOrders: handleListOrders(context),
  });
}
