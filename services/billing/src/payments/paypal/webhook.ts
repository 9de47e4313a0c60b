import type { z } from 'zod';
import type { PaymentEvent, WebhookRequest } from '../../domain/payment.js';
import { fail } from '../reasons.js';
import { assertWebhookSize, bodyText, singleHeader } from '../webhook-request.js';
import type { PayPalClient } from './client.js';
import { captureEvents, disputeEvents, refundEvents } from './events.js';
import * as messages from './messages.js';

/** PayPal repeats a delivery for three days; older ones are refused. */
const maxAgeMs = 3 * 24 * 3_600_000 + 3_600_000;
const maxAheadMs = 5 * 60_000;

interface PayPalWebhookDeps {
  readonly client: PayPalClient;
  readonly webhookId: string;
  readonly clock: () => Date;
  confirmOrder(orderId: string): Promise<readonly PaymentEvent[]>;
}

/**
 * Verified by PayPal's API, not by the certificate that the message names: no URL from a request is fetched, and more
 * than a CRC-32 ties the signature to the body.
 */
export async function parsePayPalWebhook(
  deps: PayPalWebhookDeps,
  request: WebhookRequest,
): Promise<readonly PaymentEvent[]> {
  assertWebhookSize(request);
  const headers = readHeaders(request);
  assertRecent(headers.transmission_time, deps.clock());
  const text = bodyText(request);
  const event = parseWith(messages.webhookEvent, parseJson(text));
  await verify(deps, headers, text);
  return readEvent(deps, event);
}

type SignatureHeaders = Record<
  'auth_algo' | 'cert_url' | 'transmission_id' | 'transmission_sig' | 'transmission_time',
  string
>;

function readHeaders(request: WebhookRequest): SignatureHeaders {
  return {
    auth_algo: uniqueHeader(request, 'paypal-auth-algo'),
    cert_url: uniqueHeader(request, 'paypal-cert-url'),
    transmission_id: uniqueHeader(request, 'paypal-transmission-id'),
    transmission_sig: uniqueHeader(request, 'paypal-transmission-sig'),
    transmission_time: uniqueHeader(request, 'paypal-transmission-time'),
  };
}

/** These values contain no comma: one indicates two joined headers. */
function uniqueHeader(request: WebhookRequest, name: string): string {
  const value = singleHeader(request, name);
  if (!value.includes(',')) return value;
  throw fail('WEBHOOK_SIGNATURE_INVALID', `the header ${name} stands more than once`, { gateway: 'paypal' });
}

function assertRecent(transmissionTime: string, now: Date): void {
  const ageMs = now.getTime() - new Date(transmissionTime).getTime();
  if (ageMs <= maxAgeMs && ageMs >= -maxAheadMs) return;
  throw fail('WEBHOOK_SIGNATURE_INVALID', 'the time of the webhook is out of bounds', { gateway: 'paypal' });
}

async function verify(deps: PayPalWebhookDeps, headers: SignatureHeaders, text: string): Promise<void> {
  const envelope = JSON.stringify({ ...headers, webhook_id: deps.webhookId });
  // Byte for byte: a re-serialized event would not match the signature. It parsed as one JSON value, so it cannot add
  // members to the envelope.
  const body = `${envelope.slice(0, -1)},"webhook_event":${text}}`;
  const answer = await deps.client.call(
    {
      operation: 'verify webhook',
      method: 'POST',
      path: '/v1/notifications/verify-webhook-signature',
      body,
      isReadOnly: true,
    },
    messages.verification,
  );
  if (answer.verification_status === 'SUCCESS') return;
  throw fail('WEBHOOK_SIGNATURE_INVALID', 'the signature of the webhook does not hold', { gateway: 'paypal' });
}

async function readEvent(
  deps: PayPalWebhookDeps,
  event: z.output<typeof messages.webhookEvent>,
): Promise<readonly PaymentEvent[]> {
  switch (event.event_type) {
    case 'CHECKOUT.ORDER.APPROVED':
      return deps.confirmOrder(parseWith(messages.order, event.resource).id);
    case 'PAYMENT.CAPTURE.PENDING': {
      // The state of now: its message may come after its end.
      const capture = await fetchCapture(deps.client, parseWith(messages.capture, event.resource).id);
      return capture ? captureEvents(capture, null) : [];
    }
    case 'PAYMENT.CAPTURE.COMPLETED':
    case 'PAYMENT.CAPTURE.DENIED':
    case 'PAYMENT.CAPTURE.DECLINED':
      return captureEvents(parseWith(messages.capture, event.resource), null);
    case 'PAYMENT.CAPTURE.REFUNDED':
    case 'PAYMENT.CAPTURE.REVERSED': {
      const refund = parseWith(messages.refund, event.resource);
      const capture = await fetchCapture(deps.client, captureIdOf(refund.links));
      return capture ? refundEvents(refund, capture, event.create_time) : [];
    }
    case 'CUSTOMER.DISPUTE.CREATED':
    case 'CUSTOMER.DISPUTE.UPDATED':
    case 'CUSTOMER.DISPUTE.RESOLVED': {
      const dispute = parseWith(messages.dispute, event.resource);
      const capture = await fetchCapture(deps.client, dispute.disputed_transactions[0]?.seller_transaction_id ?? null);
      return capture ? disputeEvents(dispute, capture) : [];
    }
    default:
      return [];
  }
}

/** A refund names its capture by a link. Only the id is used, never the URL. */
function captureIdOf(links: readonly { readonly rel: string; readonly href: string }[]): string | null {
  const up = links.find((link) => link.rel === 'up');
  return /\/v2\/payments\/captures\/([A-Z0-9]+)$/.exec(up?.href ?? '')?.[1] ?? null;
}

async function fetchCapture(client: PayPalClient, id: string | null): Promise<messages.Capture | null> {
  if (id === null) return null;
  const path = `/v2/payments/captures/${encodeURIComponent(id)}`;
  return client.call({ operation: 'retrieve capture', method: 'GET', path }, messages.capture);
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw fail('WEBHOOK_MALFORMED', 'the webhook lacks what its kind has', { gateway: 'paypal' });
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw fail('WEBHOOK_MALFORMED', 'the webhook is not JSON', { gateway: 'paypal' });
  }
}
