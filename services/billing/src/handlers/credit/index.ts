import { serve, type ServedService } from '@panel/rpc';
import { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { grantEvent, invoiceEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { buyCreditsHandler } from './buy-credits.js';
import { getCreditsHandler } from './get-credits.js';
import { grantCreditsHandler } from './grant-credits.js';

export function serveCredits(context: BillingContext): ServedService {
  return serve(CreditServiceService, {
    buyCredits: withActivity(context, buyCreditsHandler(context), invoiceEvent('billing:credits.buy')),
    getCredits: getCreditsHandler(context),
    grantCredits: withActivity(context, grantCreditsHandler(context), grantEvent),
  });
}
