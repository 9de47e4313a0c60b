import type { Duplex } from 'node:stream';
import { type AppError, isAppError } from '@panel/kit/errors';
import { type Server, ServerServiceService } from '@panel/protos/servers';
import { type Granted, mayCall } from '../auth/server-access.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RawData, WebSocket } from 'ws';
import type { Credential } from '../auth/authenticator.js';
import type { Caller } from '../auth/identity.js';
import { toErrorResponse } from '@panel/rpc';
import { scaleQuota } from '../limits/rules.js';
import { assertWithinLimit } from '../limits/limiter.js';
import { fail, unauthenticated } from '../reasons.js';
import { powerAction } from '../routes/servers/resource.js';
import { sendCommand } from '../routes/servers/send-command.js';
import type { Subscriber } from './channel.js';
import { closeCodes, closeReasons } from './close-codes.js';
import { type ClientMessage, frames, readClientMessage, type ReadMessage } from './messages.js';
import { guard, type OpenSocket } from './upgrade.js';
import type { SocketDependencies } from './socket-dependencies.js';

interface SocketUser {
  readonly credential: Credential;
  readonly caller: Caller;
  readonly ip: string;
}

/** Unread bytes before disconnect, to bound memory. */
const maxUnsentBytes = 4 * 1024 * 1024;
/** Unread bytes of a slow reader. */
const muchUnsentBytes = 512 * 1024;
/** Without progress for longer, the reader is stalled. */
const stalledAfterMs = 5_000;
/** Waiting messages; beyond, reading pauses. */
const maxQueued = 16;
/** Malformed or invalid token: refused before other limits. */
const maxInvalidPerMinute = 10;
/** Refused by a rate limit: the client ignores refusals. */
const maxLimitedPerMinute = 30;
const closeGraceMs = 2_000;
const callTimeoutMs = 9_000;

/** Messages are checked like requests. */
export class ConsoleSocket implements Subscriber {
  readonly serverId: string;
  readonly after: number | null;
  user: SocketUser;
  /** Of the last check. */
  #permissions: readonly string[];
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #invalid = new RateLimiterMemory({ points: maxInvalidPerMinute, duration: 60 });
  readonly #limited = new RateLimiterMemory({ points: maxLimitedPerMinute, duration: 60 });
  #queued = 0;
  #work: Promise<void> = Promise.resolve();
  #awaitsPong = false;
  #written = 0;
  /** Bytes taken by the reader, with the time of the last. */
  #taken = { bytes: 0, at: performance.now() };

  constructor(
    private readonly dependencies: SocketDependencies,
    { socket, connection }: OpenSocket,
    server: Server,
    { after, ...user }: SocketUser & { readonly after: number | null },
  ) {
    this.after = after;
    this.serverId = server.id;
    this.#permissions = server.permissions;
    this.user = user;
    this.#socket = socket;
    this.#connection = connection;
    socket.on('message', (data, isBinary) => {
      guard(socket, dependencies.log, () => this.#enqueue(data, isBinary));
    });
    socket.on('pong', () => {
      this.#awaitsPong = false;
    });
  }

  /** May contain secrets of the egg: only with the reinstall permission, or for staff who may view servers. */
  get maySeeInstall(): boolean {
    return mayCall(ServerServiceService.getInstallLog, this.#granted);
  }

  get #granted(): Granted {
    return { role: this.user.caller.identity.permissions, server: this.#permissions };
  }

  isBehind(): boolean {
    const unsent = this.#connection.writableLength;
    const bytes = this.#written - unsent;
    if (bytes !== this.#taken.bytes || unsent < muchUnsentBytes) this.#taken = { bytes, at: performance.now() };
    return unsent >= muchUnsentBytes && performance.now() - this.#taken.at < stalledAfterMs;
  }

  set permissions(permissions: readonly string[]) {
    this.#permissions = permissions;
  }

  write(bytes: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#connection.writableLength > maxUnsentBytes) return this.close(closeCodes.tooSlow);
    this.#written += bytes.length;
    this.#connection.write(bytes);
  }

  close(code: number, reason = closeReasons.get(code) ?? ''): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeGraceMs).unref();
  }

  /** Terminates when the last ping is unanswered. */
  ping(): void {
    if (this.#awaitsPong) return this.#socket.terminate();
    this.#awaitsPong = true;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /** Sequential; reading pauses for faster clients. */
  #enqueue(data: RawData, isBinary: boolean): void {
    this.#queued += 1;
    if (this.#queued >= maxQueued) this.#socket.pause();
    this.#work = this.#work.then(async () => {
      try {
        await this.#handle(data, isBinary);
      } catch (error) {
        guard(this.#socket, this.dependencies.log, () => {
          throw error;
        });
      }
      this.#queued -= 1;
      if (this.#socket.isPaused && this.#queued < maxQueued / 2) this.#socket.resume();
    });
  }

  async #handle(data: RawData, isBinary: boolean): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const read = readMessage(data, isBinary);
    if (read.kind === 'malformed') return this.#refuse(read.error, read.ref, this.#invalid);
    try {
      await this.#execute(read.message, read.ref);
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isUnknown = error.kind === 'unauthenticated';
      if (isUnknown && read.message.type !== 'auth') return this.close(closeCodes.unauthorized);
      const limited = error.reason === 'RATE_LIMIT_EXCEEDED' ? this.#limited : null;
      return this.#refuse(error, read.ref, isUnknown ? this.#invalid : limited);
    }
  }

  /** Closes the socket when `flood` exceeds its limit. */
  async #refuse(error: AppError, ref: string | null, flood: RateLimiterMemory | null): Promise<void> {
    const consumed = flood === null ? 0 : (await flood.penalty('')).consumedPoints;
    if (flood !== null && consumed > flood.points) this.close(closeCodes.flooding);
    else this.write(frames.error(toErrorResponse(error), ref));
  }

  async #execute(message: ClientMessage, ref: string | null): Promise<void> {
    if (message.type === 'auth') return this.#renew(message.token, ref);
    const caller = await this.#limitAndAuthenticate(this.user.credential);
    const rpc = { actorToken: caller.actorToken, timeoutMs: callTimeoutMs };
    const { services } = this.dependencies;
    const { serverId } = this;
    if (message.type === 'power') {
      const request = { serverId, action: powerAction.read(message.action) };
      const { operationId } = await services.console.sendPowerAction(request, rpc);
      if (ref !== null) this.write(frames.accepted(operationId, ref));
      return;
    }
    await sendCommand(services, { serverId, command: message.command }, rpc, () => undefined);
    if (ref !== null) this.write(frames.accepted(null, ref));
  }

  /** Accepts a token of the same user. */
  async #renew(token: string, ref: string | null): Promise<void> {
    const credential = this.dependencies.credentials.fromToken(token);
    const { userId } = this.user.caller.identity;
    // First: epochs below are only this user's.
    const claimed = this.dependencies.authenticator.claimedUserId(credential, this.user.ip);
    if (claimed !== null && claimed !== userId) throw unauthenticated();
    const caller = await this.#limitAndAuthenticate(credential);
    if (caller.identity.userId !== userId) throw unauthenticated();
    this.user = { ...this.user, credential, caller };
    const tokenExpiresAt = credential.kind === 'session' ? credential.expiresAt : Infinity;
    this.write(frames.authenticated(Math.min(tokenExpiresAt, caller.identity.expiresAt), ref));
  }

  async #limitAndAuthenticate(credential: Credential): Promise<Caller> {
    const { limiter, authenticator } = this.dependencies;
    const { identity } = this.user.caller;
    const quota = scaleQuota(limiter.rules.user(identity.userId), identity.rateLimitMultiplier);
    const { states, epochs } = await limiter.count([quota], identity.userId);
    assertWithinLimit(states);
    return authenticator.authenticate(credential, this.user.ip, epochs);
  }
}

function readMessage(data: RawData, isBinary: boolean): ReadMessage {
  try {
    if (isBinary || !Buffer.isBuffer(data)) throw fail('BAD_REQUEST', 'messages are JSON text');
    return readClientMessage(data.toString());
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: 'malformed', error, ref: null };
  }
}
