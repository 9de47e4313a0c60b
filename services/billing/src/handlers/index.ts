import type { ServedService } from '@panel/rpc';
import type { BillingContext } from '../context.js';
import { serveCarts } from './cart/index.js';
import { serveCoupons } from './coupon/index.js';
import { serveCredits } from './credit/index.js';
import { serveGiftCodes } from './gift-code/index.js';
import { serveInvoices } from './invoice/index.js';
import { serveObligations } from './obligation/index.js';
import { serveOrders } from './order/index.js';
import { servePayments } from './payment/index.js';
import { serveProducts } from './product/index.js';
import { serveProfiles } from './profile/index.js';
import { serveReports } from './report/index.js';
import { serveServices } from './service/index.js';

export function createHandlers(context: BillingContext): ServedService[] {
  return [
    serveCarts(context),
    serveCoupons(context),
    serveCredits(context),
    serveGiftCodes(context),
    serveInvoices(context),
    serveObligations(context),
    serveOrders(context),
    servePayments(context),
    serveProducts(context),
    serveProfiles(context),
    serveReports(context),
    serveServices(context),
  ];
}
