import { Stripe } from 'stripe';
import type { PaymentEvent, WebhookRequest } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { assertWebhookSize, bodyText, singleHeader } from '../webhook-request.js';
import type { StripeApi } from './client.js';
import { disputedEvent, endedSessionEvent, failedEvent, idOf, intentEvents, refundedEvent } from './events.js';

/** Tolerance of the signed time, both ways: Stripe signs each delivery. */
const toleranceSeconds = 300;

interface StripeWebhookDeps {
  readonly api: StripeApi;
  readonly webhookSecret: string;
  readonly clock: () => Date;
}

/** Verifies the signature over the exact bytes first. */
export async function parseStripeWebhook(deps: StripeWebhookDeps, request: WebhookRequest): Promise<PaymentEvent[]> {
  assertWebhookSize(request);
  const header = singleHeader(request, 'stripe-signature');
  const text = bodyText(request);
  const event = verify(deps, text, header);
  return readEvent(deps.api, event);
}

function verify(deps: StripeWebhookDeps, text: string, header: string): Stripe.Event {
  const receivedAt = deps.clock().getTime();
  assertTimestamp(header, receivedAt);
  try {
    return deps.api.stripe.webhooks.constructEvent(
      text,
      header,
      deps.webhookSecret,
      toleranceSeconds,
      undefined,
      receivedAt,
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      throw fail('WEBHOOK_SIGNATURE_INVALID', 'the signature of the webhook does not hold', { gateway: 'stripe' });
    }
    if (error instanceof SyntaxError) throw fail('WEBHOOK_MALFORMED', 'the webhook is not JSON', { gateway: 'stripe' });
    throw error;
  }
}

/**
 * Exactly one timestamp: of joined headers, two parsers could take different ones. The library accepts future times;
 * such a signature would stay valid too long.
 */
function assertTimestamp(header: string, receivedAt: number): void {
  const timestamps = [...header.matchAll(/(?:^|,)\s*t=(\d+)/g)].map((match) => Number(match[1]));
  const isAhead = (timestamps[0] ?? 0) * 1000 - receivedAt > toleranceSeconds * 1000;
  if (timestamps.length === 1 && !isAhead) return;
  throw fail('WEBHOOK_SIGNATURE_INVALID', 'the timestamp of the webhook is not valid', { gateway: 'stripe' });
}

/** Of a payment in progress the state of now: its message may come after its end. */
async function readEvent(api: StripeApi, event: Stripe.Event): Promise<PaymentEvent[]> {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return sessionEvents(api, event.data.object, event.created);
    case 'checkout.session.async_payment_failed':
      return endedSessionEvent(event.data.object, 'async_payment_failed', event.created);
    case 'checkout.session.expired':
      return endedSessionEvent(event.data.object, 'expired', event.created);
    case 'payment_intent.processing':
      return withIntent(api, { payment_intent: event.data.object.id }, (intent) =>
        intentEvents(intent, null, event.created),
      );
    case 'payment_intent.succeeded':
      return intentEvents(event.data.object, null, event.created);
    case 'payment_intent.payment_failed':
      return failedEvent(event.id, event.data.object, event.created);
    case 'refund.created':
    case 'refund.updated':
      return withIntent(api, event.data.object, (intent) => refundedEvent(event.data.object, intent, event.created));
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
      return withIntent(api, event.data.object, (intent) => disputedEvent(event.data.object, intent, event.created));
    default:
      return [];
  }
}

/** The session names its intent, which has the received amount and the stored method. */
export async function sessionEvents(
  api: StripeApi,
  session: Stripe.Checkout.Session,
  occurredAt: number,
): Promise<PaymentEvent[]> {
  return withIntent(api, session, (intent) => intentEvents(intent, session.id, occurredAt));
}

async function withIntent(
  api: StripeApi,
  object: { readonly payment_intent?: string | Stripe.PaymentIntent | null },
  read: (intent: Stripe.PaymentIntent) => PaymentEvent[],
): Promise<PaymentEvent[]> {
  const intentId = idOf(object.payment_intent);
  if (intentId === null) return [];
  const intent = await api.call('retrieve payment intent', (stripe) =>
    stripe.paymentIntents.retrieve(intentId, { expand: ['payment_method'] }),
  );
  return read(intent);
}
