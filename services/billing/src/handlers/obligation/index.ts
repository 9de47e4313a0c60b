import { serve, type ServedService } from '@panel/rpc';
import { ObligationServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { handleGetObligations } from './get-obligations.js';

export function serveObligations(context: BillingContext): ServedService {
  return serve(ObligationServiceService, { getObligations: handleGetObligations(context) });
}
