import type { WebhookRequest } from '../domain/payment.js';
import { fail } from './reasons.js';

/** Providers send a few KiB. */
const maxWebhookBytes = 1024 * 1024;

export function assertWebhookSize(request: WebhookRequest): void {
  if (request.rawBody.byteLength <= maxWebhookBytes) return;
  throw fail('WEBHOOK_TOO_LARGE', 'the webhook is larger than 1 MiB', { sizeBytes: request.rawBody.byteLength });
}

/** The header must occur once: with two, parsers could use different signatures. */
export function singleHeader(request: WebhookRequest, name: string): string {
  const values = request.headers[name] ?? [];
  const [value] = values;
  if (value === undefined || value === '') throw fail('WEBHOOK_SIGNATURE_INVALID', `the header ${name} is missing`);
  if (values.length > 1) throw fail('WEBHOOK_SIGNATURE_INVALID', `the header ${name} stands more than once`);
  return value;
}

/** Refuses invalid UTF-8: a replacement character would differ from the signed bytes. */
export function bodyText(request: WebhookRequest): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(request.rawBody);
  } catch (error) {
    throw fail('WEBHOOK_MALFORMED', 'the webhook is not UTF-8', {}, { cause: error });
  }
}
