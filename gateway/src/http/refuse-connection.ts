import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, toErrorResponse } from '@panel/rpc';
import { securityHeaders } from './security-headers.js';

/** A response for what never becomes a request of the application, with the headers of every response. */
export function createRefusal(error: Error, generalLimit: number) {
  const response = toErrorResponse(error);
  const body = JSON.stringify(errorBody(response));
  const headers: Record<string, string> = {
    ...securityHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': `${Buffer.byteLength(body)}`,
    'X-RateLimit-Limit': `${generalLimit}`,
    'X-RateLimit-Remaining': `${generalLimit}`,
    'X-RateLimit-Reset': `${Math.ceil(Date.now() / 1000) + 60}`,
    'Retry-After': '0',
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  };
  return { status: response.status, headers, body };
}

/** Write an error response to a bare connection and close it. */
export function refuseConnection(connection: Duplex, error: Error, generalLimit: number): void {
  if (!connection.writable) {
    connection.destroy();
    return;
  }
  const { status, headers, body } = createRefusal(error, generalLimit);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`);
  destroyAfterWrites(connection);
}

/** A peer that does not read its response keeps the connection for this long. */
const flushTimeoutMs = 1_000;

/**
 * Close both sides of a connection once what was written is flushed. `end` alone would leave a half-closed connection open
 * for as long as its peer likes.
 */
export function destroyAfterWrites(connection: Duplex): void {
  setTimeout(() => connection.destroy(), flushTimeoutMs).unref();
  if (connection instanceof Socket) connection.destroySoon();
  else connection.end(() => connection.destroy());
}
