import { ConsoleServiceService, type Server } from '@panel/protos/servers';
import { type AppError, isAppError } from '@panel/kit/errors';
import type { Caller } from '../auth/identity.js';
import { toErrorResponse } from '@panel/rpc';
import { getAccessibleServer, serverPermissionsOf } from '../auth/server-access.js';
import { closeCodes } from './close-codes.js';
import type { ConsoleSocket } from './console-socket.js';
import { frames } from './messages.js';
import type { SocketDependencies } from './socket-dependencies.js';

/** Maximum delay of a revocation while identity and servers respond. */
export const recheckIntervalMs = 2_000;
const pingIntervalMs = 30_000;
const expiryWarningMs = 60_000;
const callTimeoutMs = 2_000;

interface AuthState {
  lastVerifiedAt: number;
  lastPingAt: number;
  warnedFor: number;
}

/** A user's sockets share a call. */
type Round = Map<string, Promise<Server>>;

/**
 * Rechecks credentials as for requests, rights through the servers service. While these are unavailable, sockets stay
 * open for `graceMs`.
 */
export class AccessRechecker {
  readonly #authStates = new WeakMap<ConsoleSocket, AuthState>();

  constructor(
    private readonly dependencies: SocketDependencies,
    private readonly graceMs: number,
  ) {}

  #nowMs(): number {
    return this.dependencies.clock().getTime();
  }

  async check(sockets: readonly ConsoleSocket[]): Promise<void> {
    const round: Round = new Map();
    await Promise.all(sockets.map(async (socket) => this.#checkOne(socket, round)));
  }

  async #checkOne(socket: ConsoleSocket, round: Round): Promise<void> {
    const authState = this.#authStateOf(socket);
    const now = this.#nowMs();
    if (now - authState.lastPingAt >= pingIntervalMs) {
      authState.lastPingAt = now;
      socket.ping();
    }
    if (this.#hasExpired(socket, authState, now)) return socket.close(closeCodes.unauthorized);
    try {
      const caller = await this.#authenticate(socket);
      socket.user = { ...socket.user, caller };
      if (caller.identity.mustSetUpTwoFactor) return socket.close(closeCodes.forbidden);
      const server = await this.#serverOf(socket, caller, round);
      if (server.suspended) return socket.close(closeCodes.suspended);
      socket.permissions = server.permissions;
      authState.lastVerifiedAt = this.#nowMs();
    } catch (error) {
      if (!isAppError(error)) throw error;
      await this.#refuse(socket, authState, error);
    }
  }

  #authStateOf(socket: ConsoleSocket): AuthState {
    let authState = this.#authStates.get(socket);
    if (!authState) {
      const now = this.#nowMs();
      authState = { lastVerifiedAt: now, lastPingAt: now, warnedFor: 0 };
      this.#authStates.set(socket, authState);
    }
    return authState;
  }

  /** Warns the client a minute before. */
  #hasExpired(socket: ConsoleSocket, authState: AuthState, now: number): boolean {
    const { credential, caller } = socket.user;
    const tokenEnds = credential.kind === 'session' ? credential.expiresAt : Infinity;
    const expiresAt = Math.min(tokenEnds, caller.identity.expiresAt);
    if (expiresAt <= now) return true;
    if (expiresAt - now <= expiryWarningMs && authState.warnedFor !== expiresAt) {
      authState.warnedFor = expiresAt;
      socket.write(frames.tokenExpiring(expiresAt));
    }
    return false;
  }

  async #authenticate({ user }: ConsoleSocket): Promise<Caller> {
    const { limiter, authenticator } = this.dependencies;
    const epochs = await limiter.epochsOf(user.caller.identity.userId);
    return authenticator.authenticate(user.credential, user.ip, epochs);
  }

  async #serverOf(socket: ConsoleSocket, { actorToken, identity }: Caller, round: Round): Promise<Server> {
    const name = `${socket.serverId} ${identity.method} ${identity.credentialId}`;
    let server = round.get(name);
    if (!server) {
      const rpc = { actorToken, timeoutMs: callTimeoutMs };
      const permissions = serverPermissionsOf(ConsoleServiceService.watchServer);
      server = getAccessibleServer(this.dependencies.services, socket.serverId, permissions, rpc);
      round.set(name, server);
    }
    return server;
  }

  async #refuse(socket: ConsoleSocket, authState: AuthState, error: AppError): Promise<void> {
    if (error.kind === 'unauthenticated') return socket.close(closeCodes.unauthorized);
    if (error.kind === 'permission_denied') return socket.close(closeCodes.forbidden);
    if (error.kind === 'not_found') {
      return socket.close((await this.#stillExists(socket.serverId)) ? closeCodes.forbidden : closeCodes.deleted);
    }
    if (this.#nowMs() - authState.lastVerifiedAt <= this.graceMs) return;
    socket.write(frames.error(toErrorResponse(error), null));
    socket.close(closeCodes.unverified);
  }

  /** Without access a server appears deleted; users who had access get the distinction. */
  async #stillExists(serverId: string): Promise<boolean> {
    try {
      await this.dependencies.services.servers.getServer({ serverId, asStaff: true }, { timeoutMs: callTimeoutMs });
      return true;
    } catch (error) {
      if (isAppError(error) && error.kind === 'not_found') return false;
      if (isAppError(error)) return true;
      throw error;
    }
  }
}
