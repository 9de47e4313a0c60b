import type { WebhookRequest } from '../domain/payment-gateway.js';
import { invalidWebhook } from './reasons.js';

/** Providers send a few KiB; everything larger is refused before any work. */
export const maxWebhookBytes = 1024 * 1024;

/** Refuse a body that no provider sends. */
export function assertWebhookSize(request: WebhookRequest): void {
  const sizeBytes = request.rawBody.byteLength;
  if (sizeBytes > maxWebhookBytes) throw invalidWebhook('too_large', { sizeBytes });
}

/** The value of a header that must be there. */
export function requiredHeader(request: WebhookRequest, name: string): string {
  const value = request.headers[name];
  if (value === undefined || value === '') throw invalidWebhook('header_missing', { header: name });
  return value;
}

/** The body as text; bytes that are no UTF-8 are refused, because a replaced byte would no longer be what was signed. */
export function bodyText(request: WebhookRequest): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(request.rawBody);
  } catch (error) {
    if (error instanceof TypeError) throw invalidWebhook('malformed', { expected: 'UTF-8' });
    throw error;
  }
}
