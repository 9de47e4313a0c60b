import type { WebhookRequest } from '../domain/payment.js';
import { fail } from './reasons.js';

/** Providers send a few KiB; everything larger is refused before any work. */
const maxWebhookBytes = 1024 * 1024;

/** Refuse a body that no provider sends. */
export function assertWebhookSize(request: WebhookRequest): void {
  if (request.rawBody.byteLength <= maxWebhookBytes) return;
  throw fail('WEBHOOK_TOO_LARGE', 'the webhook is larger than 1 MiB', { sizeBytes: request.rawBody.byteLength });
}

/**
 * The value of a header that must stand exactly once. A second one could make two readers of the request see different
 * signatures, so it is refused and never joined.
 */
export function singleHeader(request: WebhookRequest, name: string): string {
  const values = request.headers[name] ?? [];
  const [value] = values;
  if (value === undefined || value === '') throw fail('WEBHOOK_SIGNATURE_INVALID', `the header ${name} is missing`);
  if (values.length > 1) throw fail('WEBHOOK_SIGNATURE_INVALID', `the header ${name} stands more than once`);
  return value;
}

/** The body as text; bytes that are no UTF-8 are refused, because a replaced byte would no longer be what was signed. */
export function bodyText(request: WebhookRequest): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(request.rawBody);
  } catch (error) {
    throw fail('WEBHOOK_MALFORMED', 'the webhook is not UTF-8', {}, { cause: error });
  }
}
