import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createTokenKey, type TokenClaims, tokenConstants, type TokenType, verifyToken } from '@panel/rpc';
import jwt from 'jsonwebtoken';

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Of the refresh token's id: the only stored part. */
  readonly refreshHash: string;
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  /** End of refresh token and session. */
  readonly expiresAt: Date;
}

/** User tokens, signed with JWT_SECRET. */
export interface Tokens {
  /** Identifies the secret: sessions of another one are over. */
  readonly keyId: string;
  issuePair(userId: string, sessionId: string, now: Date): TokenPair;
  /** Deterministic successor of the refresh token with this `jti`. */
  issueSuccessor(predecessor: Pick<TokenClaims, 'sub' | 'sid' | 'jti'>, now: Date): TokenPair;
  /** For a login that waits for its second factor. */
  issueChallenge(userId: string, challengeId: string, now: Date, ttlMs: number): string;
  /** `sid` is the challenge id. Throws INVALID_TOKEN. */
  readChallenge(token: string, now: Date): TokenClaims;
  /** With the stored hash. Throws INVALID_TOKEN. */
  readRefresh(token: string, now: Date): TokenClaims & { readonly hash: string };
}

export interface TokenOptions {
  readonly secret: string;
  readonly accessTtlMs: number;
  readonly refreshTtlMs: number;
}

export function createTokens(options: TokenOptions): Tokens {
  const key = createTokenKey(options.secret);
  const sign = (type: TokenType, userId: string, sessionId: string, now: Date, ttlMs: number, jti = randomId()) => {
    const iat = Math.floor(now.getTime() / 1000);
    const exp = iat + Math.floor(ttlMs / 1000);
    const claims = { iss: tokenConstants.issuer, aud: tokenConstants.audiences[type], typ: type };
    const payload = { ...claims, sub: userId, sid: sessionId, jti, iat, exp };
    return { token: jwt.sign(payload, key, { algorithm: tokenConstants.algorithm }), jti, exp };
  };
  const pairOf = (access: ReturnType<typeof sign>, refresh: ReturnType<typeof sign>): TokenPair => ({
    accessToken: access.token,
    refreshToken: refresh.token,
    refreshHash: sha256(refresh.jti),
    accessTtlSeconds: Math.floor(options.accessTtlMs / 1000),
    refreshTtlSeconds: Math.floor(options.refreshTtlMs / 1000),
    expiresAt: new Date(refresh.exp * 1000),
  });
  return {
    keyId: createHash('sha256').update('panel-token-key-id\0').update(options.secret).digest('hex').slice(0, 16),
    issuePair: (userId, sessionId, now) =>
      pairOf(
        sign('access', userId, sessionId, now, options.accessTtlMs),
        sign('refresh', userId, sessionId, now, options.refreshTtlMs),
      ),
    issueSuccessor: ({ sub, sid, jti }, now) => {
      const derive = (type: TokenType) =>
        createHmac('sha256', key).update(`successor ${type} ${jti}`).digest('base64url');
      return pairOf(
        sign('access', sub, sid, now, options.accessTtlMs, derive('access')),
        sign('refresh', sub, sid, now, options.refreshTtlMs, derive('refresh')),
      );
    },
    issueChallenge: (userId, challengeId, now, ttlMs) => sign('challenge', userId, challengeId, now, ttlMs).token,
    readChallenge: (token, now) => verifyToken(key, 'challenge', token, now),
    readRefresh: (token, now) => {
      const claims = verifyToken(key, 'refresh', token, now);
      return { ...claims, hash: sha256(claims.jti) };
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function randomId(): string {
  return randomBytes(32).toString('base64url');
}
