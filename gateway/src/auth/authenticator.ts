import type { ActorSigner, Client, UserActor } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import { AuthenticateRequest, type AuthenticateResponse, type AuthServiceService } from '@panel/protos/identity';
import { LRUCache } from 'lru-cache';
import { type AuthEpochs, sameEpochs } from '../limits/counters.js';
import { unauthenticated } from '../reasons.js';
import type { Credential } from './credential.js';
import type { Caller, Identity, KnownCredential } from './identity.js';

type Proof = Extract<Credential, { kind: 'session' | 'api_key' }>;

interface CacheEntry {
  readonly epochs: AuthEpochs;
  readonly createdAt: number;
  readonly caller: Promise<Caller>;
}

interface AuthenticatorOptions {
  readonly auth: Pick<Client<typeof AuthServiceService>, 'authenticate'>;
  readonly signer: ActorSigner;
  readonly clock: () => Date;
}

/**
 * Maximum age of a cached caller, even with unchanged epochs. It bounds how long a revocation can be missed when Redis
 * lost its last writes, or when identity cannot reach Redis and the gateway can. Costs identity one call in five seconds
 * per active credential.
 */
const maxAgeMs = 5_000;
const maxEntries = 10_000;
const endedSessionTtlMs = 60_000;
const authenticateTimeoutMs = 3_000;

/**
 * Resolves a credential to its caller by calling identity. The result is cached under the epochs that were read before
 * the call, and used only by requests that have just read the same epochs; so a revocation holds on the next request at
 * every gateway. Without epochs (no Redis, or Redis unavailable) identity is called on every request, and a failing call
 * fails the request: the authenticator never falls back to a guess.
 */
export class Authenticator {
  readonly #entries = new LRUCache<string, CacheEntry>({ max: maxEntries });
  /**
   * User ids of API keys by key and client address, from successful calls. They select the counter and the epoch, and are
   * never proof of identity. The address is part of the name, so that a key bound to other addresses cannot consume the
   * rate limit of its owner.
   */
  readonly #keyOwners = new LRUCache<string, string>({ max: maxEntries });
  /** Sessions that identity reported as ended. A session never resumes, so its token no longer counts for its user. */
  readonly #endedSessions = new LRUCache<string, number>({ max: maxEntries });

  constructor(private readonly options: AuthenticatorOptions) {}

  /** The user a credential claims to belong to, for rate limiting; null when only identity knows. */
  claimedUserId(credential: Credential, ip: string): string | null {
    if (credential.kind === 'session') return this.#isEnded(credential.sessionId) ? null : credential.userId;
    if (credential.kind === 'api_key') return this.#keyOwners.get(cacheName(credential, ip)) ?? null;
    return null;
  }

  /**
   * The caller of a credential. Throws UNAUTHENTICATED for an invalid or revoked credential, IP_NOT_ALLOWED for an API
   * key used from another address, SERVICE_UNAVAILABLE when identity does not respond.
   */
  async authenticate(credential: Credential, ip: string, epochs: AuthEpochs | null): Promise<Caller> {
    if (credential.kind === 'none' || credential.kind === 'invalid') throw unauthenticated();
    if (credential.kind === 'session' && this.#isEnded(credential.sessionId)) throw unauthenticated();
    // The first request of an API key has no owner yet, so its epoch is unknown and nothing can be cached.
    if (epochs === null || this.claimedUserId(credential, ip) === null) return this.#resolve(credential, ip);
    const name = cacheName(credential, ip);
    const entry = this.#entries.get(name);
    if (entry && this.#isUsable(entry, epochs)) {
      const caller = await entry.caller;
      if (caller.identity.expiresAt > this.#nowMs()) return caller;
      throw unauthenticated();
    }
    const fresh: CacheEntry = { epochs, createdAt: this.#nowMs(), caller: this.#resolve(credential, ip) };
    this.#entries.set(name, fresh);
    try {
      return await fresh.caller;
    } catch (error) {
      if (this.#entries.get(name) === fresh) this.#entries.delete(name);
      throw error;
    }
  }

  /**
   * The caller that a session or API key stands for now, by its id: for work that a caller began who was authenticated
   * with it. Never cached. Throws UNAUTHENTICATED when it is revoked, SERVICE_UNAVAILABLE when identity does not
   * respond.
   */
  async recall(credential: KnownCredential, ip: string): Promise<Caller> {
    const request = AuthenticateRequest.create({ credential, ip });
    try {
      const response = await this.options.auth.authenticate(request, { timeoutMs: authenticateTimeoutMs });
      const method = credential.$case === 'sessionId' ? 'session' : 'api_key';
      const identity = identityOf(response, method, credential.value);
      return { identity, actorToken: this.options.signer.sign(actorOf(identity, ip)) };
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'unauthenticated' || error.reason === 'ACTOR_INVALID') throw error;
      throw unauthenticated(error);
    }
  }

  #nowMs(): number {
    return this.options.clock().getTime();
  }

  #isUsable(entry: CacheEntry, epochs: AuthEpochs): boolean {
    return sameEpochs(entry.epochs, epochs) && this.#nowMs() - entry.createdAt < maxAgeMs;
  }

  #isEnded(sessionId: string): boolean {
    const until = this.#endedSessions.get(sessionId);
    return until !== undefined && until > this.#nowMs();
  }

  async #resolve(credential: Proof, ip: string): Promise<Caller> {
    const response = await this.#callIdentity(credential, ip);
    // A token that names the session of another user proves nothing, and must reveal nothing about that session.
    if (credential.kind === 'session' && response.userId !== credential.userId) throw unauthenticated();
    if (credential.kind === 'api_key') this.#keyOwners.set(cacheName(credential, ip), response.userId);
    const sessionId = credential.kind === 'session' ? credential.sessionId : '';
    const identity = identityOf(response, credential.kind, sessionId);
    return { identity, actorToken: this.options.signer.sign(actorOf(identity, ip)) };
  }

  async #callIdentity(credential: Proof, ip: string): Promise<AuthenticateResponse> {
    try {
      return await this.options.auth.authenticate(requestFor(credential, ip), { timeoutMs: authenticateTimeoutMs });
    } catch (error) {
      // ACTOR_INVALID concerns the SERVICE_SECRET of this gateway, not the caller.
      if (!isAppError(error) || error.kind !== 'unauthenticated' || error.reason === 'ACTOR_INVALID') throw error;
      if (credential.kind === 'session') {
        this.#endedSessions.set(credential.sessionId, this.#nowMs() + endedSessionTtlMs);
      } else this.#keyOwners.delete(cacheName(credential, ip));
      throw unauthenticated(error);
    }
  }
}

/** The name of a cached caller. It contains the user, because the epochs of the entry are that user's. */
function cacheName(credential: Proof, ip: string): string {
  const proof = credential.kind === 'session' ? `${credential.userId} ${credential.sessionId}` : credential.hash;
  return `${credential.kind} ${proof} ${ip}`;
}

function requestFor(credential: Proof, ip: string): AuthenticateRequest {
  const proof =
    credential.kind === 'session'
      ? { $case: 'sessionId' as const, value: credential.sessionId }
      : { $case: 'apiKey' as const, value: credential.key };
  return AuthenticateRequest.create({ credential: proof, ip });
}

function identityOf(response: AuthenticateResponse, method: Identity['method'], sessionId: string): Identity {
  return {
    userId: response.userId,
    username: response.username,
    roleName: response.roleName,
    permissions: response.permissions,
    keyPermissions: response.keyPermissions?.permissions,
    rateLimitMultiplier: response.rateLimitMultiplier > 0 ? response.rateLimitMultiplier : 1,
    method,
    credentialId: method === 'session' ? response.sessionId || sessionId : response.apiKeyId,
    expiresAt: response.expireTime?.getTime() ?? Infinity,
    mustSetUpTwoFactor: response.twoFactorRequired,
  };
}

function actorOf(identity: Identity, ip: string): UserActor {
  const { userId, permissions, keyPermissions, method, credentialId } = identity;
  const narrowing = keyPermissions === undefined ? {} : { keyPermissions };
  return { kind: 'user', userId, permissions, ...narrowing, method, credentialId, ip };
}
