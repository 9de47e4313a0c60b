import type { Handler } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { receiveWebhook } from '../../usecases/payments/receive-webhook.js';
import { readHeaders } from '../read-request.js';

export function handleReceiveWebhook(context: BillingContext): Handler<PaymentServiceService['receiveWebhook']> {
  return async ({ gateway, rawBody, headers }) => {
    await receiveWebhook(context, gateway, { rawBody, headers: readHeaders(headers) });
    return {};
  };
}
