import { serve, type ServedService } from '@panel/rpc';
import { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { grantEvent, invoiceEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { handleBuyCredits } from './buy-credits.js';
import { handleGetCredits } from './get-credits.js';
import { handleGrantCredits } from './grant-credits.js';

export function serveCredits(context: BillingContext): ServedService {
  return serve(CreditServiceService, {
    buyCredits: withActivity(context, handleBuyCredits(context), invoiceEvent('billing:credits.buy')),
    getCredits: handleGetCredits(context),
    grantCredits: withActivity(context, handleGrantCredits(context), grantEvent),
  });
}
