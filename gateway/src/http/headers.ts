import type { ServerResponse } from 'node:http';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** For well-formed headers: Koa checks each several times. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  if (response.headersSent) return;
  for (const [name, value] of headers) response.setHeader(name, value);
}
