import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type Koa from 'koa';
import websockify from 'koa-websocket';
import type { WebSocket, WebSocketServer } from 'ws';
import { destroyAfterWrites } from '../http/refuse-connection.js';
import { badRequest } from '../reasons.js';

/*
 * The only import of koa-websocket (unmaintained), which runs middleware for an open socket. Adds checks before the
 * handshake, and isolates failing sockets.
 */

/** With its connection. */
export interface OpenSocket {
  readonly socket: WebSocket;
  /** For batches of whole frames, only while `socket` is open. */
  readonly connection: Duplex;
}

interface Upgrade {
  readonly connection: Duplex;
  readonly head: Buffer;
  onOpen?: (open: OpenSocket) => void;
  headers?: readonly string[];
}

/** 4096 characters of four-byte UTF-8 fit with envelope. */
const maxMessageBytes = 16 * 1024;
/** Closes undecided upgrades. */
const handshakeTimeoutMs = 15_000;
const keyPattern = /^[+/0-9A-Za-z]{22}==$/;

export interface Upgrader {
  /** The request runs through the application. */
  readonly onUpgrade: (request: IncomingMessage, connection: Duplex, head: Buffer) => void;
  /** Throws BAD_REQUEST. */
  check(request: IncomingMessage): void;
  /** After all checks. `headers`: of the 101 response. An error in `onOpen` closes this socket only. */
  accept(upgrade: AcceptedUpgrade, onOpen: (open: OpenSocket) => void): void;
}

interface AcceptedUpgrade {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UpgraderOptions {
  readonly app: object;
  /** Handles its errors. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => unknown;
  /** For other protocols than WebSocket. */
  readonly server: () => Server;
  readonly log: Logger;
}

export function createUpgrader({ app, onRequest, server, log }: UpgraderOptions): Upgrader {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const sockets = websockify(app as Koa).ws;
  sockets.use((ctx) => {
    const upgrade = upgrades.get(ctx.req);
    if (!upgrade?.onOpen) throw new TypeError('a socket was opened that no handler had accepted');
    guard(ctx.websocket, log, () => upgrade.onOpen?.({ socket: ctx.websocket, connection: upgrade.connection }));
  });
  // With noServer, `listen` opens no port.
  sockets.listen({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has('bearer') ? 'bearer' : false),
  });
  const wss = sockets.server as unknown as WebSocketServer;
  wss.on('headers', (headers, request) => headers.push(...(upgrades.get(request)?.headers ?? [])));
  return {
    onUpgrade: (request, connection, head) => {
      if (!isWebSocket(request)) return replay(server(), request, connection, head);
      upgrades.set(request, { connection, head });
      serveBeforeUpgrade(request, connection, onRequest);
    },
    check: (request) => checkHandshake(request, upgrades.has(request)),
    accept: ({ request, response, headers }, onOpen) => {
      const upgrade = upgrades.get(request);
      if (!upgrade || upgrade.connection.destroyed) return;
      upgrade.onOpen = onOpen;
      upgrade.headers = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      response.detachSocket(upgrade.connection as never);
      if (upgrade.connection instanceof Socket) upgrade.connection.setTimeout(0);
      wss.handleUpgrade(request, upgrade.connection, upgrade.head, (socket) => {
        guard(socket, log, () => wss.emit('connection', socket, request));
      });
    },
  };
}

function isWebSocket(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';
}

/** Ordinary request and response until the handshake. */
function serveBeforeUpgrade(
  request: IncomingMessage,
  connection: Duplex,
  onRequest: UpgraderOptions['onRequest'],
): void {
  connection.on('error', () => connection.destroy());
  if (connection instanceof Socket) connection.setTimeout(handshakeTimeoutMs, () => connection.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(connection as never);
  response.once('finish', () => {
    response.detachSocket(connection as never);
    destroyAfterWrites(connection);
  });
  onRequest(request, response);
}

function checkHandshake(request: IncomingMessage, isUpgrade: boolean): void {
  if (!isUpgrade) throw badRequest('this address requires a WebSocket upgrade');
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers;
  if (version !== '13') throw badRequest('the Sec-WebSocket-Version must be 13');
  if (typeof key !== 'string' || !keyPattern.test(key))
    throw badRequest('the Sec-WebSocket-Key is missing or not valid');
}

/**
 * Clients that offer another protocol (such as h2c) expect an ordinary response. Node already treats it as an upgrade:
 * replays the bytes without the offer.
 */
function replay(server: Server, request: IncomingMessage, connection: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', connection);
}

/** An exception closes this socket only. */
export function guard(socket: Pick<WebSocket, 'close' | 'terminate'>, log: Logger, run: () => unknown): void {
  const failed = (error: unknown) => {
    log.error({ err: error }, `a socket failed: ${messageOf(error)}`);
    socket.close(1011);
    setTimeout(() => socket.terminate(), 1_000).unref();
  };
  try {
    const result = run();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
