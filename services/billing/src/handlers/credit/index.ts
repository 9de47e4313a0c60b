import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { CreditServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { grantEvent, invoiceEvent } from '../../present/activity-events.js';
import { handleBuyCredits } from './buy-credits.js';
import { handleGetCredits } from './get-credits.js';
import { handleGrantCredits } from './grant-credits.js';

export function serveCredits(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(CreditServiceService, {
    buyCredits: withActivity(activity, handleBuyCredits(context), invoiceEvent('billing:credits.buy')),
    getCredits: handleGetCredits(context),
    grantCredits: withActivity(activity, handleGrantCredits(context), grantEvent),
  });
}
