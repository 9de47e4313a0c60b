import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PaymentEvent, WebhookRequest } from '../../domain/payment.js';
import { parseAnswer } from '../provider-request.js';
import { fail } from '../reasons.js';
import { assertWebhookSize, bodyText, singleHeader } from '../webhook-request.js';
import type { Lookups } from './lookups.js';
import * as messages from './messages.js';

const signatureHeader = 'x-mollie-signature';
/** Mollie repeats a delivery for 26 hours. */
const maxAgeMs = 27 * 3_600_000;
const maxAheadMs = 5 * 60_000;
const maxFormLength = 256;

interface MollieWebhookDeps {
  readonly webhookSecret: string | null;
  readonly clock: () => Date;
  readonly lookups: Lookups<PaymentEvent[]>;
  /** Null: no own payment. */
  findEvents(paymentId: string): Promise<PaymentEvent[] | null>;
}

/**
 * Either way a message only says which payment to look up. That of a payment (`id=tr_…`) has no signature; that of an account's
 * subscription is a signed JSON event.
 */
export async function parseMollieWebhook(deps: MollieWebhookDeps, request: WebhookRequest): Promise<PaymentEvent[]> {
  assertWebhookSize(request);
  const text = bodyText(request);
  const isEvent = signatureHeader in request.headers || text.trimStart().startsWith('{');
  const paymentId = isEvent ? paymentOfEvent(deps, request, text) : paymentOfForm(text);
  if (paymentId === null) return [];
  return (await deps.lookups.run(paymentId, async () => deps.findEvents(paymentId))) ?? [];
}

function paymentOfForm(text: string): string {
  const ids = text.length <= maxFormLength ? new URLSearchParams(text).getAll('id') : [];
  const [id] = ids;
  if (ids.length === 1 && id !== undefined && messages.paymentIdPattern.test(id)) return id;
  throw fail('WEBHOOK_MALFORMED', 'the webhook does not name one payment', { gateway: 'mollie' });
}

/** Null: about no payment. */
function paymentOfEvent(deps: MollieWebhookDeps, request: WebhookRequest, text: string): string | null {
  verify(deps.webhookSecret, request);
  const event = messages.webhookEvent.safeParse(parseAnswer(text)).data;
  if (!event) throw fail('WEBHOOK_MALFORMED', 'the webhook is no event', { gateway: 'mollie' });
  const ageMs = deps.clock().getTime() - event.createdAt.getTime();
  if (ageMs > maxAgeMs || ageMs < -maxAheadMs) throw unsigned('the time of the webhook is out of bounds');
  const ids = [event.entityId, event._embedded?.entity?.paymentId ?? ''];
  return ids.find((id) => messages.paymentIdPattern.test(id)) ?? null;
}

/** HMAC-SHA256 of the exact bytes. */
function verify(secret: string | null, request: WebhookRequest): void {
  const header = singleHeader(request, signatureHeader);
  const given = /^(?:sha256=)?([0-9a-f]{64})$/.exec(header)?.[1];
  if (secret === null || given === undefined) throw unsigned('the signature of the webhook cannot be checked');
  const expected = createHmac('sha256', secret).update(request.rawBody).digest();
  if (!timingSafeEqual(expected, Buffer.from(given, 'hex'))) {
    throw unsigned('the signature of the webhook does not hold');
  }
}

function unsigned(message: string): Error {
  return fail('WEBHOOK_SIGNATURE_INVALID', message, { gateway: 'mollie' });
}
