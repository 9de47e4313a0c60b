import { hash as digest, type KeyObject } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { type TokenClaims, verifyAccessToken, verifyToken } from '@panel/rpc';
import { LRUCache } from 'lru-cache';
import { bearerProtocolToken } from './bearer-protocol.js';

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
      return verifyToken(this.tokenKey, 'refresh', token).sid;
    } catch (error) {
      if (isAppError(error, 'INVALID_TOKEN')) return null;
      throw error;
    }
  }

  #claimsOf(token: string): TokenClaims | null {
    const cached = this.#claims.get(token);
    if (cached) {
      if (cached.exp * 1000 > Date.now()) return cached;
      this.#claims.delete(token);
      return null;
    }
    try {
      const claims = verifyAccessToken(this.tokenKey, token);
      this.#claims.set(token, claims);
      return claims;
    } catch (error) {
      if (isAppError(error, 'INVALID_TOKEN')) return null;
      throw error;
    }
  }
}
