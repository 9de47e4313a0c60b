import type { ServerResponse } from 'node:http';

/** Names and values of headers. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Set headers that are known to be well-formed. Koa's own way checks each of them several times. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  if (response.headersSent) return;
  for (const [name, value] of headers) response.setHeader(name, value);
}
