import {
  type ActorSigner,
  type Client,
  type TokenClaims,
  type UserActor,
  verifyAccessToken,
  verifyToken,
} from '@panel/rpc';
import { AuthenticateRequest, type AuthenticateResponse, type AuthServiceService } from '@panel/protos/identity';
import { type AuthEpochs, sameEpochs } from '../limits/auth-epochs.js';
import { unauthenticated } from '../reasons.js';
import type { Caller, Identity, KnownCredential } from './identity.js';
import { hash as digest, type KeyObject } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { LRUCache } from 'lru-cache';
import { bearerProtocolToken } from './bearer-protocol.js';

type Proof = Extract<Credential, { kind: 'session' | 'api_key' }>;

interface CacheEntry {
  readonly epochs: AuthEpochs;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  readonly caller: Promise<Caller>;
}

interface AuthenticatorOptions {
  readonly auth: Pick<Client<typeof AuthServiceService>, 'authenticate'>;
  readonly signer: ActorSigner;
  readonly clock: () => Date;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Despite unchanged epochs. Bounds a missed revocation when Redis lost writes, or identity cannot reach Redis. Cost:
 * one call in 4 s on average per active credential.
 */
const maxAgeMs = 5_000;
/** Spreads the calls for users who came in the same moment. */
const minAgeMs = 3_000;
const maxEntries = 10_000;
const endedSessionTtlMs = 60_000;
const authenticateTimeoutMs = 3_000;

/**
 * Resolves credentials through identity. Results are cached under the epochs read before the call and require equal,
 * fresh ones: a revocation applies to the next request at every gateway. Without epochs (no Redis) every request calls
 * identity, and fails with it.
 */
export class Authenticator {
  readonly #entries = new LRUCache<string, CacheEntry>({ max: maxEntries });
  /**
   * User ids by API key and client address, for counter and epoch only; no proof. With the address: foreign use of a
   * key must not consume its owner's rate limit.
   */
  readonly #keyOwners = new LRUCache<string, string>({ max: maxEntries });
  /** Permanently ended: their tokens no longer count for the user. */
  readonly #endedSessions = new LRUCache<string, number>({ max: maxEntries });

  constructor(private readonly options: AuthenticatorOptions) {}

  /** For rate limiting; null when only identity can resolve it. */
  claimedUserId(credential: Credential, ip: string): string | null {
    if (credential.kind === 'session') return this.#isEnded(credential.sessionId) ? null : credential.userId;
    if (credential.kind === 'api_key') return this.#keyOwners.get(cacheName(credential, ip)) ?? null;
    return null;
  }

  /**
   * Throws UNAUTHENTICATED (invalid, revoked), IP_NOT_ALLOWED (API key bound to other addresses), SERVICE_UNAVAILABLE.
   */
  async authenticate(credential: Credential, ip: string, epochs: AuthEpochs | null): Promise<Caller> {
    if (credential.kind === 'none' || credential.kind === 'invalid') throw unauthenticated();
    if (credential.kind === 'session' && this.#isEnded(credential.sessionId)) throw unauthenticated();
    // Without a cached owner there is no epoch: no caching.
    if (epochs === null || this.claimedUserId(credential, ip) === null) return this.#resolve(credential, ip);
    const name = cacheName(credential, ip);
    const entry = this.#entries.get(name);
    if (entry && this.#isUsable(entry, epochs)) {
      const caller = await entry.caller;
      if (caller.identity.expiresAt > this.#nowMs()) return caller;
      throw unauthenticated();
    }
    const fresh: CacheEntry = { epochs, expiresAt: this.#newExpiry(), caller: this.#resolve(credential, ip) };
    this.#entries.set(name, fresh);
    try {
      return await fresh.caller;
    } catch (error) {
      if (this.#entries.get(name) === fresh) this.#entries.delete(name);
      throw error;
    }
  }

  /**
   * For deferred work of an accepted session or API key. Uncached. Throws UNAUTHENTICATED when revoked,
   * SERVICE_UNAVAILABLE.
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

  #newExpiry(): number {
    const { random = Math.random } = this.options;
    return this.#nowMs() + minAgeMs + random() * (maxAgeMs - minAgeMs);
  }

  #isUsable(entry: CacheEntry, epochs: AuthEpochs): boolean {
    return sameEpochs(entry.epochs, epochs) && this.#nowMs() < entry.expiresAt;
  }

  #isEnded(sessionId: string): boolean {
    const until = this.#endedSessions.get(sessionId);
    return until !== undefined && until > this.#nowMs();
  }

  async #resolve(credential: Proof, ip: string): Promise<Caller> {
    const response = await this.#callIdentity(credential, ip);
    // Another user's session must stay hidden.
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
      // ACTOR_INVALID concerns this gateway's SERVICE_SECRET, not the caller.
      if (!isAppError(error) || error.kind !== 'unauthenticated' || error.reason === 'ACTOR_INVALID') throw error;
      if (credential.kind === 'session') {
        this.#endedSessions.set(credential.sessionId, this.#nowMs() + endedSessionTtlMs);
      } else this.#keyOwners.delete(cacheName(credential, ip));
      throw unauthenticated(error);
    }
  }
}

/** With the user: the epochs are per user. */
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

/** Verified without a call. */
export type Credential =
  | { readonly kind: 'none' }
  /** Malformed, forged, expired, or of another purpose. */
  | { readonly kind: 'invalid' }
  /** Valid signature, purpose and time; the session is unverified. */
  | { readonly kind: 'session'; readonly userId: string; readonly sessionId: string; readonly expiresAt: number }
  /** Well-formed; existence is unverified. */
  | { readonly kind: 'api_key'; readonly key: string; readonly hash: string };

const maxHeaderLength = 4_096;
const maxCachedTokens = 10_000;
const bearer = /^bearer ([\x21-\x7e]+)$/i;
const keyBody = /^[0-9A-Za-z]{32,64}$/;

/** Caches verified access tokens until expiry: read access to this memory exposes the signing key too. */
export class CredentialReader {
  readonly #claims = new LRUCache<string, TokenClaims>({ max: maxCachedTokens });

  constructor(
    private readonly tokenKey: KeyObject,
    private readonly keyPrefix: string,
    private readonly clock: () => Date,
  ) {}

  /** `protocols`: only for WebSocket upgrades of browsers. */
  fromRequest(authorization: string | undefined, protocols: string | undefined): Credential {
    const token = authorization === undefined && protocols !== undefined ? bearerProtocolToken(protocols) : null;
    return token === null ? this.fromHeader(authorization) : this.fromToken(token);
  }

  fromHeader(header: string | undefined): Credential {
    if (header === undefined) return { kind: 'none' };
    const token = header.length <= maxHeaderLength ? bearer.exec(header)?.[1] : undefined;
    return token === undefined ? { kind: 'invalid' } : this.fromToken(token);
  }

  /** Bare token of a WebSocket client. */
  fromToken(token: string): Credential {
    if (token.length > maxHeaderLength) return { kind: 'invalid' };
    if (token.startsWith(`${this.keyPrefix}_`)) {
      const isWellFormed = keyBody.test(token.slice(this.keyPrefix.length + 1));
      return isWellFormed
        ? { kind: 'api_key', key: token, hash: digest('sha256', token, 'base64') }
        : { kind: 'invalid' };
    }
    const claims = this.#claimsOf(token);
    if (claims === null) return { kind: 'invalid' };
    return { kind: 'session', userId: claims.sub, sessionId: claims.sid, expiresAt: claims.exp * 1000 };
  }

  /** Null: invalid. The session may have ended. */
  sessionOfRefreshToken(token: string | null): string | null {
    if (token === null) return null;
    try {
      return verifyToken(this.tokenKey, 'refresh', token, this.clock()).sid;
    } catch (error) {
      if (isAppError(error, 'INVALID_TOKEN')) return null;
      throw error;
    }
  }

  #claimsOf(token: string): TokenClaims | null {
    const now = this.clock();
    const cached = this.#claims.get(token);
    if (cached) {
      if (cached.exp * 1000 > now.getTime()) return cached;
      this.#claims.delete(token);
      return null;
    }
    try {
      const claims = verifyAccessToken(this.tokenKey, token, now);
      this.#claims.set(token, claims);
      return claims;
    } catch (error) {
      if (isAppError(error, 'INVALID_TOKEN')) return null;
      throw error;
    }
  }
}
