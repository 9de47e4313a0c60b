import type { IncomingMessage, ServerResponse } from 'node:http';

const exposed = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Retry-After',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Expires',
].join(', ');
/** tus clients always send Authorization; it is ignored here. */
const allowed = [
  'Authorization, Content-Type, Range, If-Range, X-Requested-With, X-Request-Id',
  'Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset',
].join(', ');

/** Browsers must never render customers' files as pages. */
export function setSecurityHeaders(response: ServerResponse, isTls: boolean): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Robots-Tag', 'noindex');
  if (isTls) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
}

/** Returns true for a preflight request. */
export function setCors(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): boolean {
  const { origin = '' } = headers;
  const isAllowed = origins.includes(origin);
  response.setHeader('Vary', 'Origin');
  if (isAllowed) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', exposed);
  }
  if (method !== 'OPTIONS') return false;
  if (isAllowed) {
    response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, PATCH, DELETE');
    response.setHeader('Access-Control-Allow-Headers', allowed);
    response.setHeader('Access-Control-Max-Age', '600');
  }
  return true;
}
