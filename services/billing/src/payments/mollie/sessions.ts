import type { PaymentSessionRequest, PaymentSessionResult } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { toMollieAmount } from './amounts.js';
import type { MollieClient } from './client.js';
import * as messages from './messages.js';
import { metadataOf, retrievePayment } from './payments.js';

/** Payments of one key that ended unpaid, while Mollie knows the key. */
const maxAttempts = 10;
const maxDescriptionLength = 255;

/** A payment that ended unpaid stays so: paying once more needs another one. */
export async function createSession(
  client: MollieClient,
  webhookUrl: string | null,
  request: PaymentSessionRequest,
): Promise<PaymentSessionResult> {
  const body = {
    amount: toMollieAmount(request.amount),
    description: request.description.slice(0, maxDescriptionLength),
    redirectUrl: request.returnUrl,
    ...(webhookUrl !== null && { webhookUrl }),
    metadata: metadataOf(request),
    ...(request.savePaymentMethod && {
      sequenceType: 'first',
      customerId: request.customer.gatewayCustomerReference ?? (await createCustomer(client, request)),
    }),
  };
  let { idempotencyKey } = request;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const create = { body, idempotencyKey };
    const made = await client.call({ operation: 'create payment', path: '/v2/payments', create }, messages.payment);
    // A repeated key gets the first answer, which shows the payment as it was.
    const payment = (await retrievePayment(client, made.id)) ?? made;
    const result = resultOf(payment);
    if (result) return result;
    // The same for all callers.
    idempotencyKey = `${request.idempotencyKey}-${made.id}`;
  }
  throw fail('GATEWAY_REJECTED', 'the payment was begun too often', { gateway: 'mollie' });
}

/** Null: it ended unpaid. */
function resultOf({ id, status, _links: links }: messages.Payment): PaymentSessionResult | null {
  switch (status) {
    case 'paid':
      return { kind: 'paid', gatewayReference: id };
    case 'pending':
    case 'authorized':
      return { kind: 'pending', gatewayReference: id };
    case 'failed':
    case 'canceled':
    case 'expired':
      return null;
    default: {
      const url = links?.checkout?.href;
      if (url !== undefined) return { kind: 'redirect', url, gatewayReference: id };
      throw fail('GATEWAY_REJECTED', 'the payment has no page', { gateway: 'mollie', status });
    }
  }
}

async function createCustomer(client: MollieClient, { customer, idempotencyKey }: PaymentSessionRequest) {
  const body = { email: customer.email, metadata: { customer_id: customer.id } };
  const create = { body, idempotencyKey: `${idempotencyKey}-customer` };
  const { id } = await client.call({ operation: 'create customer', path: '/v2/customers', create }, messages.customer);
  return id;
}
