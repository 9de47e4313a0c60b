import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest } from '../reasons.js';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** For well-formed headers: Koa checks each several times. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  if (response.headersSent) return;
  for (const [name, value] of headers) response.setHeader(name, value);
}

/** Node keeps the first or joins duplicates; a proxy may differ. */
const singletons = new Map(
  [
    'Authorization',
    'Content-Length',
    'Content-Type',
    'Expect',
    'Host',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'If-Range',
    'Origin',
    'Range',
    'Sec-Fetch-Site',
    'Transfer-Encoding',
  ].map((name) => [name.toLowerCase(), name]),
);

/** For ambiguous headers or a missing Host; null: well-formed. */
export function headerError(request: IncomingMessage): Error | null {
  const { rawHeaders } = request;
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const singleton = singletons.get(name);
    if (singleton === undefined) continue;
    if (seen.has(name)) return badRequest(`the ${singleton} header appears more than once`);
    seen.add(name);
  }
  if (!seen.has('host') && request.httpVersion === '1.1') return badRequest('the Host header is missing');
  return null;
}
