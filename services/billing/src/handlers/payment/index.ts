import { serve, type ServedService } from '@panel/rpc';
import { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { deleteStoredMethodHandler } from './delete-stored-method.js';
import { listPaymentMethodsHandler } from './list-payment-methods.js';
import { listStoredMethodsHandler } from './list-stored-methods.js';
import { receiveWebhookHandler } from './receive-webhook.js';

export function servePayments(context: BillingContext): ServedService {
  return serve(PaymentServiceService, {
    deleteStoredMethod: deleteStoredMethodHandler(context),
    listPaymentMethods: listPaymentMethodsHandler(context),
    listStoredMethods: listStoredMethodsHandler(context),
    receiveWebhook: receiveWebhookHandler(context),
  });
}
