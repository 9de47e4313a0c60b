import type { ChargeRequest, ChargeResult, RefundRequest, RefundResult } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { toMollieAmount } from './amounts.js';
import { isRefusal, type MollieClient } from './client.js';
import { codeOf, ownMetadataOf } from './events.js';
import * as messages from './messages.js';
import { metadataOf, paymentsSince, retrievePayment } from './payments.js';

/** Longer than an invoice is tried for. */
const longestRetryMs = 90 * 24 * 3_600_000;

/**
 * Mollie forgets a key after a while, and a lost answer may be asked for days later: what was made with it is looked for
 * first.
 */
export async function chargeStored(
  { client, clock, webhookUrl }: { client: MollieClient; clock: () => Date; webhookUrl: string | null },
  request: ChargeRequest,
): Promise<ChargeResult> {
  const { idempotencyKey, method } = request;
  const body = {
    amount: toMollieAmount(request.amount),
    description: request.description,
    sequenceType: 'recurring',
    customerId: method.customerReference,
    mandateId: method.methodReference,
    ...(webhookUrl !== null && { webhookUrl }),
    metadata: { ...metadataOf(request), key: idempotencyKey },
  };
  const create = { body, idempotencyKey };
  try {
    const since = new Date(clock().getTime() - longestRetryMs);
    const earlier = await findCharge(client, request, since);
    return resultOf(
      earlier ?? (await client.call({ operation: 'charge mandate', path: '/v2/payments', create }, messages.payment)),
    );
  } catch (error) {
    if (!isRefusal(error, 404, 410, 422) || (await isUsable(client, request))) throw error;
    return { kind: 'declined', code: 'mandate_invalid' };
  }
}

async function findCharge(client: MollieClient, { method, idempotencyKey }: ChargeRequest, since: Date) {
  const path = `/v2/customers/${encodeURIComponent(method.customerReference)}/payments`;
  for await (const payment of paymentsSince(client, path, since)) {
    if (ownMetadataOf(payment.metadata)?.key === idempotencyKey) return payment;
  }
  return null;
}

function resultOf(payment: messages.Payment): ChargeResult {
  switch (payment.status) {
    case 'paid':
      return { kind: 'paid', gatewayReference: payment.id };
    case 'open':
    case 'pending':
    case 'authorized':
      return { kind: 'pending', gatewayReference: payment.id };
    default:
      return { kind: 'declined', code: codeOf(payment) };
  }
}

/** False: revoked, or gone with its customer. */
async function isUsable(client: MollieClient, { method }: ChargeRequest): Promise<boolean> {
  const [customer, id] = [method.customerReference, method.methodReference].map(encodeURIComponent);
  const request = { operation: 'retrieve mandate', path: `/v2/customers/${customer}/mandates/${id}` };
  const mandate = await client.find(request, messages.mandate);
  return mandate !== null && mandate.status !== 'invalid';
}

/** As for charges, the refund of this key is looked for first. */
export async function refund(client: MollieClient, request: RefundRequest): Promise<RefundResult> {
  const { gatewayReference, invoiceId, idempotencyKey } = request;
  const amount = toMollieAmount(request.amount);
  const payment = await retrievePayment(client, gatewayReference);
  if (payment === null) throw fail('GATEWAY_REJECTED', 'Mollie does not know the payment', { gateway: 'mollie' });
  const earlier = payment._embedded?.refunds.find(({ metadata }) => keyOf(metadata) === idempotencyKey);
  const path = `/v2/payments/${encodeURIComponent(gatewayReference)}/refunds`;
  const create = { body: { amount, metadata: { invoice_id: invoiceId, key: idempotencyKey } }, idempotencyKey };
  const made = earlier ?? (await client.call({ operation: 'refund payment', path, create }, messages.refund));
  if (made.status === 'failed' || made.status === 'canceled') {
    throw fail('GATEWAY_REJECTED', 'the refund failed', { gateway: 'mollie', status: made.status });
  }
  return { kind: made.status === 'refunded' ? 'refunded' : 'pending', refundReference: made.id };
}

function keyOf(metadata: unknown): unknown {
  return typeof metadata === 'object' && metadata !== null && 'key' in metadata ? metadata.key : undefined;
}
