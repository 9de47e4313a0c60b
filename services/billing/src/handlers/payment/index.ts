import { serve, type ServedService } from '@panel/rpc';
import { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { handleDeleteStoredMethod } from './delete-stored-method.js';
import { handleListPaymentMethods } from './list-payment-methods.js';
import { handleListStoredMethods } from './list-stored-methods.js';
import { handleReceiveWebhook } from './receive-webhook.js';

export function servePayments(context: BillingContext): ServedService {
  return serve(PaymentServiceService, {
    deleteStoredMethod: handleDeleteStoredMethod(context),
    listPaymentMethods: handleListPaymentMethods(context),
    listStoredMethods: handleListStoredMethods(context),
    receiveWebhook: handleReceiveWebhook(context),
  });
}
