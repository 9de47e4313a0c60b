import type { Handler } from '@panel/rpc';
import type { PaymentServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { receiveEvents } from '../../usecases/payments/apply-payment-event.js';

export function receiveWebhook(context: BillingContext): Handler<PaymentServiceService['receiveWebhook']> {
  return async ({ gateway: name, rawBody, headers }) => {
    const gateway = context.gateways.get(name);
    if (!gateway) throw fail('GATEWAY_NOT_FOUND', 'there is no such payment gateway');
    const values = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [value]]));
    await receiveEvents(context, name, await gateway.parseWebhook({ rawBody, headers: values }));
    return {};
  };
}
