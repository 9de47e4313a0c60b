import type { BillingContext } from '../../context.js';
import type { WebhookRequest } from '../../domain/payment.js';
import { receiveEvents } from '../../payment-events/receive-events.js';
import { fail } from '../../reasons.js';

/** Signature first. Throws GATEWAY_NOT_FOUND and errors of the gateway. */
export async function receiveWebhook(context: BillingContext, name: string, request: WebhookRequest): Promise<void> {
  const gateway = context.gateways.get(name);
  if (!gateway) throw fail('GATEWAY_NOT_FOUND', 'there is no such payment gateway');
  await receiveEvents(context, name, await gateway.parseWebhook(request));
}
