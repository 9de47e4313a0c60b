import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostPort } from '@panel/kit/net';
import { badRequest, fail, notFound } from '../reasons.js';
import { createRefusal, refuseConnection } from './refuse-connection.js';
import { headerError } from './headers.js';

/** For headers, then for the body. */
const headersTimeoutMs = 10_000;
const bodyTimeoutMs = 30_000;
/** Without traffic during a request or response. */
const stalledTimeoutMs = 60_000;
/** Above the 60 s of common load balancers: they close first and never reuse a closed one. */
const keepAliveTimeoutMs = 65_000;
const maxHeaderBytes = 16 * 1024;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Timeouts {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly stalledMs: number;
  /** Between requests; default 65 s. */
  readonly idleMs?: number;
}

const usualTimeouts: Timeouts = {
  headersMs: headersTimeoutMs,
  bodyMs: bodyTimeoutMs,
  stalledMs: stalledTimeoutMs,
};

interface HttpServerOptions {
  /** Requests, and upgrades to other protocols than WebSocket. Handles its errors. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => unknown;
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly generalLimit: number;
  readonly timeouts?: Timeouts;
}

/** Waiting for `100 Continue`. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();
const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Bounds client input in size and time. Not listening yet. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { headersMs, bodyMs, stalledMs, idleMs = keepAliveTimeoutMs } = options.timeouts ?? usualTimeouts;
  const settings = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersMs,
    // Bodies have timers below: uploads may take longer.
    requestTimeout: 0,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Node's response would lack envelope and headers.
    requireHostHeader: false,
    // Not called by older Node versions, which emit `upgrade` for every protocol, handled by `onUpgrade`.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => /\bwebsocket\b/i.test(headers.upgrade ?? ''),
  };
  const server = createServer(settings);
  server.timeout = stalledMs;
  const serve: Listener = (request, response) => {
    const error = headerError(request);
    if (error) {
      const { status, headers, body } = createRefusal(error, options.generalLimit);
      response.writeHead(status, headers).end(body);
      return;
    }
    limitBodyTime(request, bodyMs);
    options.onRequest(request, response);
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitingContinue.set(request, response);
    serve(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    const error = headerError(request);
    if (error) refuseConnection(connection, error, options.generalLimit);
    else options.onUpgrade(request, connection, head);
  });
  server.on('connect', (_request, socket: Duplex) => refuseConnection(socket, notFound(), options.generalLimit));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Browsers open connections ahead: a response on one would be taken for that of its first request.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0) socket.destroy();
    else refuseConnection(socket, unreadable(error), options.generalLimit);
  });
  return server;
}

function limitBodyTime(request: IncomingMessage, bodyMs: number): void {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), bodyMs);
  bodyTimers.set(request, timer);
  // On early close the request emits neither `end` nor `close`.
  const done = () => {
    clearTimeout(timer);
    request.off('end', done).off('close', done);
    socket.off('close', done);
  };
  request.once('end', done).once('close', done);
  socket.once('close', done);
}

/** Stalled connections are still closed. */
export function allowSlowBody(request: IncomingMessage): void {
  clearTimeout(bodyTimers.get(request));
}

/** After a refusal the body never comes. */
export function sendContinue(request: IncomingMessage): void {
  const response = awaitingContinue.get(request);
  awaitingContinue.delete(request);
  response?.writeContinue();
}

/** True: the next bytes may be the body or another request. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return awaitingContinue.has(request);
}

function unreadable(error: NodeJS.ErrnoException): Error {
  if (error.code === 'HPE_INVALID_METHOD') return notFound();
  if (error.code === 'HPE_HEADER_OVERFLOW') return badRequest(`the headers are larger than ${maxHeaderBytes} bytes`);
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return badRequest('the request took too long to arrive');
  return badRequest('this is not an HTTP request');
}

/** Returns the bound address. Throws LISTEN_FAILED. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cause = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message;
      const message = `cannot listen on ${host}:${port}: ${cause}; choose another port with PORT (0: any free port)`;
      reject(fail('LISTEN_FAILED', message, {}, { cause: error }));
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
  });
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound ? bound.port : port;
  return hostPort(host, boundPort);
}

/** Waits up to `graceMs` for requests, then closes the rest. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
