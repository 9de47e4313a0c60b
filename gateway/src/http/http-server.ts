import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { securityHeaders } from './security-headers.js';
import { badRequest, fail, notFound } from '../reasons.js';
import { toErrorResponse, errorBody } from './error-response.js';

/** A client has this long to send its headers, and then its body. Slower ones are cut off. */
const headersTimeoutMs = 10_000;
export const bodyTimeoutMs = 30_000;
/** A connection in the middle of a request or an answer on which nothing moves for this long is cut. */
const stalledTimeoutMs = 60_000;
/** Longer than the 60 s of common balancers, so that they close idle connections and not we, in the middle of a request. */
const keepAliveTimeoutMs = 65_000;
const maxHeaderBytes = 16 * 1024;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Timeouts {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly stalledMs: number;
}

const usualTimeouts: Timeouts = {
  headersMs: headersTimeoutMs,
  bodyMs: bodyTimeoutMs,
  stalledMs: stalledTimeoutMs,
};

export interface HttpServerOptions {
  /** Serves requests, and upgrades that turn out to be none. */
  readonly onRequest: Listener;
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly generalLimit: number;
  readonly timeouts?: Timeouts;
}

/** Clients that wait to be told that their body may come. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();
const bodyTimers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** A server with limits on everything a client can make large or slow. Not listening yet. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { headersMs, bodyMs, stalledMs } = options.timeouts ?? usualTimeouts;
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersMs,
    // Bodies have timers of their own below, because uploads may take longer than everything else.
    requestTimeout: 0,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Node's own answer would come without our envelope and headers.
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  const serve: Listener = (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      const { status, headers, body } = refusal(badRequest('the Host header is missing'), options.generalLimit);
      response.writeHead(status, headers).end(body);
      return;
    }
    limitBodyTime(request, bodyMs);
    options.onRequest(request, response);
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    serve(request, response);
  });
  server.on('upgrade', options.onUpgrade);
  server.on('connect', (_request, socket: Duplex) => refuse(socket, notFound(), options.generalLimit));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(socket, unreadable(error), options.generalLimit);
  });
  return server;
}

function limitBodyTime(request: IncomingMessage, bodyMs: number): void {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), bodyMs);
  bodyTimers.set(request, timer);
  // A request whose connection goes before its body has come says neither `end` nor `close`; the connection does.
  const done = () => {
    clearTimeout(timer);
    request.off('end', done).off('close', done);
    socket.off('close', done);
  };
  request.once('end', done).once('close', done);
  socket.once('close', done);
}

/** Let the body of this request take as long as it likes, as long as something comes. */
export function allowSlowBody(request: IncomingMessage): void {
  clearTimeout(bodyTimers.get(request));
}

/** Tell a client that asked (Expect: 100-continue) to send its body. One that is refused before never sends it. */
export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request);
  waiting.delete(request);
  response?.writeContinue();
}

/** Whether the client still waits: then what follows on the connection cannot be told from its body. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}

function unreadable(error: NodeJS.ErrnoException): Error {
  if (error.code === 'HPE_INVALID_METHOD') return notFound();
  if (error.code === 'HPE_HEADER_OVERFLOW') return badRequest(`the headers are larger than ${maxHeaderBytes} bytes`);
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return badRequest('the request took too long to arrive');
  return badRequest('this is not an HTTP request');
}

/** Answer what never became a request, in the same envelope, and close. */
function refuse(socket: Duplex, error: Error, generalLimit: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusal(error, generalLimit);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), 1_000).unref();
}

/** What the application would answer, with the headers it would send. */
function refusal(error: Error, generalLimit: number) {
  const answer = toErrorResponse(error);
  const body = JSON.stringify(errorBody(answer));
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
  return { status: answer.status, headers, body };
}

/** Listen; the address really taken. Throws LISTEN_FAILED, naming PORT. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message;
      const message = `cannot listen on ${host}:${port}: ${why}; choose another with PORT (0 takes any free one)`;
      reject(fail('LISTEN_FAILED', message, {}, { cause: error }));
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
  });
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound ? bound.port : port;
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${boundPort}`;
}

/** Stop accepting, let requests under way finish for up to `graceMs`, then cut what is left. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
