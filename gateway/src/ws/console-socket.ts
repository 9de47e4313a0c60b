import type { Duplex } from 'node:stream';
import { type AppError, isAppError } from '@panel/kit';
import { ConsoleServiceService, type Server, ServerServiceService } from '@panel/protos/servers';
import { type Granted, mayCall } from '../auth/server-access.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RawData, WebSocket } from 'ws';
import type { Credential } from '../auth/credential.js';
import type { Caller } from '../auth/identity.js';
import { toErrorResponse } from '../http/error-response.js';
import { scaleQuota } from '../limits/rules.js';
import { assertWithinLimit } from '../limits/limiter.js';
import { fail, unauthenticated } from '../reasons.js';
import { powerActionOf } from '../routes/servers/present.js';
import type { Subscriber } from './channel.js';
import { closeCodes } from './close-codes.js';
import { type ClientMessage, frames, readClientMessage } from './messages.js';
import { guard, type OpenSocket } from './upgrade.js';
import type { SocketDependencies } from './socket-dependencies.js';

/** Who is on the other end. */
export interface SocketUser {
  readonly credential: Credential;
  readonly caller: Caller;
  readonly ip: string;
}

/** A reader that leaves this much unread is cut off, so that it does not cost memory for ever. */
const maxUnsentBytes = 4 * 1024 * 1024;
/** With this much unread it cannot read as fast as is written to it. */
const muchUnsentBytes = 512 * 1024;
/** Longer without taking a thing, and it does not read at all. */
const stalledAfterMs = 5_000;
/** Messages that wait for the one before; beyond that the client has to wait. */
const maxQueued = 16;
const maxMalformedPerMinute = 10;
const closeGraceMs = 2_000;
const callTimeoutMs = 9_000;

/** One open console: what it hears comes from its channel, what it says is checked like a request. */
export class ConsoleSocket implements Subscriber {
  readonly serverId: string;
  user: SocketUser;
  /** Of the user on this server, at the last check. */
  #permissions: readonly string[];
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #malformed = new RateLimiterMemory({ points: maxMalformedPerMinute, duration: 60 });
  #queued = 0;
  #work: Promise<void> = Promise.resolve();
  #awaitsPong = false;
  #written = 0;
  /** How much had been taken when something was taken last, and when that was. */
  #taken = { bytes: 0, at: performance.now() };

  constructor(
    private readonly dependencies: SocketDependencies,
    { socket, connection }: OpenSocket,
    server: Server,
    user: SocketUser,
  ) {
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

  /** It may hold secrets of the egg: for those who could have started the installation, and staff, who may see them. */
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

  close(code: number): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.close(code);
    setTimeout(() => this.#socket.terminate(), closeGraceMs).unref();
  }

  /** Send a ping, or end a connection that has not answered the last one. */
  ping(): void {
    if (this.#awaitsPong) return this.#socket.terminate();
    this.#awaitsPong = true;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  /** One message after the other, in their order; a client that is faster than that is not read from. */
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
    let message: ClientMessage;
    try {
      if (isBinary || !Buffer.isBuffer(data)) throw fail('BAD_REQUEST', 'messages are JSON text');
      message = readClientMessage(data.toString());
    } catch (error) {
      if (!isAppError(error)) throw error;
      return this.#refuseMalformed(error);
    }
    try {
      await this.#obey(message);
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.kind === 'unauthenticated' && message.type !== 'auth') return this.close(closeCodes.unauthorized);
      this.write(frames.error(toErrorResponse(error)));
    }
  }

  async #refuseMalformed(error: AppError): Promise<void> {
    const { consumedPoints } = await this.#malformed.penalty('');
    if (consumedPoints > maxMalformedPerMinute) this.close(closeCodes.flooding);
    else this.write(frames.error(toErrorResponse(error)));
  }

  /** Count, authenticate, authorise and do: the same as a request. */
  async #obey(message: ClientMessage): Promise<void> {
    if (message.type === 'auth') return this.#renew(message.token);
    const caller = await this.#admit(this.user.credential);
    const rpc = { actorToken: caller.actorToken, timeoutMs: callTimeoutMs };
    const { console } = this.dependencies.services;
    if (message.type === 'power') {
      await console.sendPowerAction({ serverId: this.serverId, action: powerActionOf(message.action) }, rpc);
      return;
    }
    if (!mayCall(ConsoleServiceService.sendCommand, this.#granted))
      throw fail('PERMISSION_MISSING', 'not granted on this server');
    assertWithinLimit([await this.dependencies.limiter.countServer('console', this.serverId)]);
    await console.sendCommand({ serverId: this.serverId, command: message.command }, rpc);
  }

  /** A fresh token of the same user takes the place of the one that is running out. */
  async #renew(token: string): Promise<void> {
    const credential = this.dependencies.credentials.fromToken(token);
    const { userId } = this.user.caller.identity;
    // Before anything is asked: the epochs that are read below are this user's and no other's.
    const supposed = this.dependencies.authenticator.claimedUserId(credential, this.user.ip);
    if (supposed !== null && supposed !== userId) throw unauthenticated();
    const caller = await this.#admit(credential);
    if (caller.identity.userId !== userId) throw unauthenticated();
    this.user = { ...this.user, credential, caller };
  }

  async #admit(credential: Credential): Promise<Caller> {
    const { limiter, authenticator } = this.dependencies;
    const { identity } = this.user.caller;
    const quota = scaleQuota(limiter.rules.user(identity.userId), identity.rateLimitMultiplier);
    const { states, epochs } = await limiter.count([quota], identity.userId);
    assertWithinLimit(states);
    return authenticator.authenticate(credential, this.user.ip, epochs);
  }
}
