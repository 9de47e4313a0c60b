import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { OrderServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { orderEvent } from '../../present/activity-events.js';
import { handleCancelOrder } from './cancel-order.js';
import { handleCheckout } from './checkout.js';
import { handleGetOrder } from './get-order.js';
import { handleListOrders } from './list-orders.js';

export function serveOrders(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(OrderServiceService, {
    cancelOrder: withActivity(activity, handleCancelOrder(context), orderEvent('billing:order.cancel')),
    checkout: withActivity(activity, handleCheckout(context), orderEvent('billing:order.create')),
    getOrder: handleGetOrder(context),
    listOrders: handleListOrders(context),
  });
}
