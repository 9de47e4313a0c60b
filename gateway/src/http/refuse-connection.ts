import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, toErrorResponse } from '@panel/rpc';
import { securityHeaders } from './security-headers.js';

/** For connections that never reach the application. */
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

/** For peers that do not read. */
const flushTimeoutMs = 1_000;

/** Closes both sides after flushing. `end` alone leaves the connection half-open at the peer's will. */
export function destroyAfterWrites(connection: Duplex): void {
  setTimeout(() => connection.destroy(), flushTimeoutMs).unref();
  if (connection instanceof Socket) connection.destroySoon();
  else connection.end(() => connection.destroy());
}
