import { type AppError, isAppError } from '@panel/kit';
import type { Server } from '@panel/protos/servers';
import type { Caller } from '../auth/identity.js';
import { serverWithAccess } from '../middleware/authorise.js';
import { closeCodes } from './close-codes.js';
import type { ConsoleSocket } from './console-socket.js';
import { frames } from './messages.js';
import type { SocketParts } from './parts.js';

export const recheckIntervalMs = 2_000;
const pingIntervalMs = 30_000;
/** A socket whose rights could not be looked at for this long ends: unknown rights are no rights. */
const maxUncheckedMs = 5_000;
const expiryWarningMs = 60_000;
const callTimeoutMs = 2_000;

interface Standing {
  lastProvenAt: number;
  lastPingAt: number;
  warnedFor: number;
}

/** Answers of one round about one user on one server: several sockets of a user cost one call. */
type Round = Map<string, Promise<Server>>;

/**
 * Looks again and again whether those who listen still may. Credentials by the same path as a request's, so that what
 * ends on the next request ends here within a round; rights on the server by asking the servers service.
 */
export class Rechecker {
  readonly #standings = new WeakMap<ConsoleSocket, Standing>();

  constructor(
    private readonly parts: SocketParts,
    private readonly now: () => number = Date.now,
  ) {}

  /** One round over all these sockets. */
  async check(sockets: readonly ConsoleSocket[]): Promise<void> {
    const round: Round = new Map();
    await Promise.all(sockets.map(async (socket) => this.#checkOne(socket, round)));
  }

  async #checkOne(socket: ConsoleSocket, round: Round): Promise<void> {
    const standing = this.#standingOf(socket);
    const now = this.now();
    if (now - standing.lastPingAt >= pingIntervalMs) {
      standing.lastPingAt = now;
      socket.ping();
    }
    if (this.#hasExpired(socket, standing, now)) return socket.close(closeCodes.unauthorized);
    try {
      const caller = await this.#authenticate(socket);
      socket.user = { ...socket.user, caller };
      if (caller.identity.mustSetUpTwoFactor) return socket.close(closeCodes.forbidden);
      const server = await this.#serverOf(socket, caller, round);
      if (server.suspended) return socket.close(closeCodes.suspended);
      socket.permissions = server.permissions;
      standing.lastProvenAt = this.now();
    } catch (error) {
      if (!isAppError(error)) throw error;
      await this.#refuse(socket, standing, error);
    }
  }

  #standingOf(socket: ConsoleSocket): Standing {
    let standing = this.#standings.get(socket);
    if (!standing) {
      const now = this.now();
      standing = { lastProvenAt: now, lastPingAt: now, warnedFor: 0 };
      this.#standings.set(socket, standing);
    }
    return standing;
  }

  /** Whether the credential is over; a minute before, the client is told. */
  #hasExpired(socket: ConsoleSocket, standing: Standing, now: number): boolean {
    const { credential, caller } = socket.user;
    const tokenEnds = credential.kind === 'session' ? credential.expiresAt : Infinity;
    const expiresAt = Math.min(tokenEnds, caller.identity.expiresAt);
    if (expiresAt <= now) return true;
    if (expiresAt - now <= expiryWarningMs && standing.warnedFor !== expiresAt) {
      standing.warnedFor = expiresAt;
      socket.write(frames.tokenExpiring(expiresAt));
    }
    return false;
  }

  async #authenticate({ user }: ConsoleSocket): Promise<Caller> {
    const { limiter, authenticator } = this.parts;
    const epochs = await limiter.epochsOf(user.caller.identity.userId);
    return authenticator.authenticate(user.credential, user.ip, epochs);
  }

  async #serverOf(socket: ConsoleSocket, { actorToken, identity }: Caller, round: Round): Promise<Server> {
    const name = `${socket.serverId} ${identity.method} ${identity.credentialId}`;
    let server = round.get(name);
    if (!server) {
      const rpc = { actorToken, timeoutMs: callTimeoutMs };
      server = serverWithAccess(this.parts.services, socket.serverId, ['websocket.connect'], rpc);
      round.set(name, server);
    }
    return server;
  }

  async #refuse(socket: ConsoleSocket, standing: Standing, error: AppError): Promise<void> {
    if (error.kind === 'unauthenticated') return socket.close(closeCodes.unauthorized);
    if (error.kind === 'permission_denied') return socket.close(closeCodes.forbidden);
    if (error.kind === 'not_found') {
      return socket.close((await this.#stillExists(socket.serverId)) ? closeCodes.forbidden : closeCodes.deleted);
    }
    if (this.now() - standing.lastProvenAt > maxUncheckedMs) socket.close(closeCodes.restart);
  }

  /** To those without access a server looks deleted; the difference is worth telling to those who had it. */
  async #stillExists(serverId: string): Promise<boolean> {
    try {
      await this.parts.services.servers.getServer({ serverId, asStaff: true }, { timeoutMs: callTimeoutMs });
      return true;
    } catch (error) {
      if (isAppError(error) && error.kind === 'not_found') return false;
      if (isAppError(error)) return true;
      throw error;
    }
  }
}
