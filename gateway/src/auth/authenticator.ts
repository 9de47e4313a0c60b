import type { ActorSigner, Client, UserActor } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import { AuthenticateRequest, type AuthenticateResponse, type AuthServiceService } from '@panel/protos/identity';
import { type AuthEpochs, sameEpochs } from '../limits/counters.js';
import { unauthenticated } from '../reasons.js';
import { BoundedMap } from './bounded-map.js';
import type { Credential } from './credential.js';
import type { Caller, Identity } from './identity.js';

type Proof = Extract<Credential, { kind: 'session' | 'api_key' }>;

interface Entry {
  readonly epochs: AuthEpochs;
  readonly madeAt: number;
  readonly caller: Promise<Caller>;
}

export interface AuthenticatorOptions {
  readonly auth: Pick<Client<typeof AuthServiceService>, 'authenticate'>;
  readonly signer: ActorSigner;
  readonly now?: () => number;
}

/**
 * Kept no longer than this even when nothing changed: neither a Redis that lost its last writes nor one that identity
 * cannot reach while we can may keep a right alive for longer than sockets live on. Costs identity a call in five seconds
 * for each who is active.
 */
const maxAgeMs = 5_000;
const maxEntries = 10_000;
const deadSessionMs = 60_000;
const askTimeoutMs = 3_000;

/**
 * Finds out what a credential allows now. Identity knows; its answer is kept only under the epochs that were read before
 * it was asked, and used only by a request that has just read the same ones, so a revocation holds on the next request
 * at every gateway. Without epochs (no Redis, or Redis away) identity is asked every time, and if it does not answer,
 * neither do we: SERVICE_UNAVAILABLE, never a guess.
 */
export class Authenticator {
  readonly #entries = new BoundedMap<string, Entry>(maxEntries);
  /**
   * User ids of API keys by the address they were good from: what to count and which epoch to read, never proof of
   * anything. With the address, so that a key bound to others cannot be used to spend its owner's requests.
   */
  readonly #keyOwners = new BoundedMap<string, string>(maxEntries);
  /** Sessions identity has called ended. A session does not come back, so its token need not count for its user. */
  readonly #deadSessions = new BoundedMap<string, number>(maxEntries);
  readonly #now: () => number;

  constructor(private readonly options: AuthenticatorOptions) {
    this.#now = options.now ?? Date.now;
  }

  /** Whose request this seems to be, for counting; null when that is not known before identity is asked. */
  supposedUser(credential: Credential, ip: string): string | null {
    if (credential.kind === 'session') return this.#isDead(credential.sessionId) ? null : credential.userId;
    if (credential.kind === 'api_key') return this.#keyOwners.get(cacheName(credential, ip)) ?? null;
    return null;
  }

  /**
   * The caller behind a credential. Throws UNAUTHENTICATED when it proves nothing (any more), PERMISSION_DENIED
   * (IP_NOT_ALLOWED) for a key used from elsewhere, UNAVAILABLE when identity does not answer.
   */
  async authenticate(credential: Credential, ip: string, epochs: AuthEpochs | null): Promise<Caller> {
    if (credential.kind === 'none' || credential.kind === 'invalid') throw unauthenticated();
    if (credential.kind === 'session' && this.#isDead(credential.sessionId)) throw unauthenticated();
    // Without the owner's own epoch nothing can be kept: the first request of a key at this gateway.
    if (epochs === null || this.supposedUser(credential, ip) === null) return this.#ask(credential, ip);
    const name = cacheName(credential, ip);
    const entry = this.#entries.get(name);
    if (entry && this.#isUsable(entry, epochs)) {
      const caller = await entry.caller;
      if (caller.identity.expiresAt > this.#now()) return caller;
      throw unauthenticated();
    }
    const fresh: Entry = { epochs, madeAt: this.#now(), caller: this.#ask(credential, ip) };
    this.#entries.set(name, fresh);
    try {
      return await fresh.caller;
    } catch (error) {
      if (this.#entries.get(name) === fresh) this.#entries.delete(name);
      throw error;
    }
  }

  #isUsable(entry: Entry, epochs: AuthEpochs): boolean {
    return sameEpochs(entry.epochs, epochs) && this.#now() - entry.madeAt < maxAgeMs;
  }

  #isDead(sessionId: string): boolean {
    const until = this.#deadSessions.get(sessionId);
    return until !== undefined && until > this.#now();
  }

  async #ask(credential: Proof, ip: string): Promise<Caller> {
    const answer = await this.#answerFor(credential, ip);
    // A token with the session of somebody else proves nothing, and says nothing about that session either.
    if (credential.kind === 'session' && answer.userId !== credential.userId) throw unauthenticated();
    if (credential.kind === 'api_key') this.#keyOwners.set(cacheName(credential, ip), answer.userId);
    const identity = identityOf(answer, credential);
    return { identity, actorToken: this.options.signer.sign(actorOf(identity, ip)) };
  }

  async #answerFor(credential: Proof, ip: string): Promise<AuthenticateResponse> {
    try {
      return await this.options.auth.authenticate(requestFor(credential, ip), { timeoutMs: askTimeoutMs });
    } catch (error) {
      // ACTOR_INVALID is about this gateway's own SERVICE_SECRET, not about the caller.
      if (!isAppError(error) || error.kind !== 'unauthenticated' || error.reason === 'ACTOR_INVALID') throw error;
      if (credential.kind === 'session') this.#deadSessions.set(credential.sessionId, this.#now() + deadSessionMs);
      else this.#keyOwners.delete(cacheName(credential, ip));
      throw unauthenticated(error);
    }
  }
}

function cacheName(credential: Proof, ip: string): string {
  // With the user, because the epochs an answer is kept under are the user's.
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

function identityOf(answer: AuthenticateResponse, credential: Proof): Identity {
  const method = credential.kind;
  return {
    userId: answer.userId,
    username: answer.username,
    roleName: answer.roleName,
    permissions: answer.permissions,
    rateLimitMultiplier: answer.rateLimitMultiplier > 0 ? answer.rateLimitMultiplier : 1,
    method,
    credentialId: method === 'session' ? answer.sessionId || credential.sessionId : answer.apiKeyId,
    expiresAt: answer.expireTime?.getTime() ?? Infinity,
    mustSetUpTwoFactor: answer.twoFactorRequired,
  };
}

function actorOf(identity: Identity, ip: string): UserActor {
  const { userId, permissions, method, credentialId } = identity;
  return { kind: 'user', userId, permissions, method, credentialId, ip };
}
