import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { MonotonicClock } from '@panel/kit/async';
import { isAppError, messageOf } from '@panel/kit/errors';
import { drainRequest } from '@panel/kit/http';
import { type ClientIpFinder, createClientIpFinder } from '@panel/kit/net';
import { ConfigError, type Logger, measureCertificates, type Metrics } from '@panel/kit/process';
import { errorBody, toErrorResponse } from '@panel/rpc';
import type { DirectConfig } from '../config.js';
import type { FilesContext } from '../context.js';
import type { DirectAddresses, DirectKind } from '../domain/direct-address.js';
import { fail } from '../reasons.js';
import { ConnectionCounts, type ConnectionLimits, type ConnectionPlace } from '../sftp/connection-limits.js';
import type { TransferPlaces } from '../workspace/transfer-places.js';
import type { DirectAuthority } from './authority.js';
import { setCors, setSecurityHeaders } from './headers.js';
import { download } from './download.js';
import type { DirectExchange } from './exchange.js';
import { upload } from './upload.js';

interface DirectServerDeps {
  readonly context: FilesContext;
  readonly addresses: DirectAddresses;
  readonly authority: DirectAuthority;
  readonly limits: ConnectionLimits;
  readonly downloads: TransferPlaces;
  readonly uploads: TransferPlaces;
  readonly monotonicClock: MonotonicClock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'registry'>;
}

const settings: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  // no limit; `timeout` closes stalled senders, and slow ones have a pace
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};
const stalledMs = 60_000;
const stopGraceMs = 3_000;

/** Allows a path prefix of a proxy. */
const addressPattern =
  /\/(downloads|uploads)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([\w-]{43})$/;

export class DirectServer {
  readonly #deps: DirectServerDeps;
  readonly #config: DirectConfig;
  readonly #server: Server;
  readonly #findIp: ClientIpFinder;
  readonly #counts: ConnectionCounts;
  /** Of connections without a proxy. */
  readonly #places = new WeakMap<Socket, ConnectionPlace>();

  /** Throws ConfigError for an unusable certificate. */
  static async create(deps: DirectServerDeps, config: DirectConfig): Promise<DirectServer> {
    if (!config.tls) return new DirectServer(deps, config, createServer(settings));
    try {
      const [cert, key] = await Promise.all([readFile(config.tls.cert), readFile(config.tls.key)]);
      measureCertificates(deps.metrics, { DIRECT_TLS_CERT: cert });
      return new DirectServer(deps, config, createTlsServer({ ...settings, cert, key, minVersion: 'TLSv1.2' }));
    } catch (error) {
      throw new ConfigError([`DIRECT_TLS_CERT and DIRECT_TLS_KEY cannot be used (${messageOf(error)})`]);
    }
  }

  private constructor(deps: DirectServerDeps, config: DirectConfig, server: Server) {
    this.#deps = deps;
    this.#config = config;
    this.#server = server;
    this.#counts = new ConnectionCounts(deps.limits);
    this.#findIp = createClientIpFinder(config.trustedProxies);
    server.timeout = stalledMs;
    server.on('connection', (socket: Socket) => this.#limit(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response));
  }

  /** Returns the address. Throws ConfigError. */
  async listen(): Promise<string> {
    const at = this.#config.listen.lastIndexOf(':');
    const host = this.#config.listen.slice(0, at);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(Number(this.#config.listen.slice(at + 1)), host.replace(/^\[(.*)\]$/, '$1'), resolve);
      });
    } catch (error) {
      throw new ConfigError([`DIRECT_LISTEN cannot be used (${messageOf(error)})`]);
    }
    const bound = this.#server.address();
    return `${host}:${typeof bound === 'object' && bound ? bound.port : 0}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cut = setTimeout(() => this.#server.closeAllConnections(), stopGraceMs);
    await closed;
    clearTimeout(cut);
  }

  #limit(socket: Socket): void {
    const ip = this.#findIp(socket.remoteAddress, undefined);
    const isProxy = this.#findIp(socket.remoteAddress, '192.0.2.1') !== ip;
    if (isProxy) return;
    const place = this.#counts.enter(ip, () => socket.destroy());
    if (!place) {
      socket.destroy();
      return;
    }
    this.#places.set(socket, place);
    socket.once('close', () => place.leave());
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setSecurityHeaders(response, this.#config.tls !== null);
    const isPreflight = setCors(request, response, this.#config.origins);
    if (isPreflight) {
      response.writeHead(204).end();
      return;
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort(fail('CLIENT_GONE', 'the client disconnected')));
    try {
      await this.#answer(request, response, gone.signal);
    } catch (error) {
      this.#refuse(request, response, error);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const { addresses, authority, context, downloads, uploads, monotonicClock } = this.#deps;
    const [path = ''] = (request.url ?? '').split('?');
    const [, kind = '', serverId = '', id = '', signature = ''] = addressPattern.exec(path) ?? [];
    if (!isKind(kind) || !addresses.verify(kind, serverId, id, signature)) {
      throw fail('ADDRESS_INVALID', 'there is no such address');
    }
    const ip = this.#findIp(request.socket.remoteAddress, String(request.headers['x-forwarded-for'] ?? ''));
    const exchange: DirectExchange = {
      context,
      authority,
      downloads,
      uploads,
      monotonicClock,
      serverId,
      id,
      ip,
      request,
      response,
      signal,
    };
    const place = this.#places.get(request.socket);
    context.metrics.direct.inc({ kind });
    place?.hold();
    try {
      await (kind === 'downloads' ? download(exchange) : upload(exchange));
    } finally {
      place?.release();
      context.metrics.direct.dec({ kind });
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { context, log } = this.#deps;
    if (response.destroyed) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const answer = toErrorResponse(error);
    context.metrics.refused.inc({ reason: isAppError(error) ? error.reason : 'INTERNAL' });
    if (answer.status === 500) log.error({ err: error }, 'a direct request failed');
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    if (answer.retryAfterSeconds > 0) response.setHeader('Retry-After', answer.retryAfterSeconds);
    response.setHeader('Tus-Resumable', '1.0.0');
    const body = JSON.stringify(errorBody(answer));
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    if (!request.complete) response.setHeader('Connection', 'close');
    response.writeHead(answer.status).write(body);
    // the end closes the connection
    void drainRequest(request).then(() => response.end());
  }
}

function isKind(text: string): text is DirectKind {
  return text === 'downloads' || text === 'uploads';
}
