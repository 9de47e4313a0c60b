import { createHash, randomBytes } from 'node:crypto';
import { createTokenKey, type TokenClaims, tokenConstants, type TokenType, verifyToken } from '@panel/rpc';
import jwt from 'jsonwebtoken';

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Hash of the refresh token's id: all the database ever sees of it. */
  readonly refreshHash: string;
  readonly accessTtlSeconds: number;
  /** When the refresh token, and with it the session, ends. */
  readonly expiresAt: Date;
}

/** Signs and checks the tokens of people with JWT_SECRET. */
export interface Tokens {
  /** Names the secret without giving it away: sessions signed with another one are over. */
  readonly keyId: string;
  issuePair(userId: string, sessionId: string, now: Date): TokenPair;
  /** A token that stands for a login which waits for its second factor. */
  issueChallenge(userId: string, challengeId: string, now: Date, ttlMs: number): string;
  /** Claims of a challenge token; `sid` is the challenge's id. Throws INVALID_TOKEN. */
  readChallenge(token: string): TokenClaims;
  /** Claims of a refresh token and the hash it is stored under. Throws INVALID_TOKEN. */
  readRefresh(token: string): TokenClaims & { readonly hash: string };
}

export interface TokenOptions {
  readonly secret: string;
  readonly accessTtlMs: number;
  readonly refreshTtlMs: number;
}

export function createTokens(options: TokenOptions): Tokens {
  const key = createTokenKey(options.secret);
  const sign = (type: TokenType, userId: string, sessionId: string, now: Date, ttlMs: number) => {
    const jti = randomBytes(32).toString('base64url');
    const iat = Math.floor(now.getTime() / 1000);
    const exp = iat + Math.floor(ttlMs / 1000);
    const claims = { iss: tokenConstants.issuer, aud: tokenConstants.audiences[type], typ: type };
    const payload = { ...claims, sub: userId, sid: sessionId, jti, iat, exp };
    return { token: jwt.sign(payload, key, { algorithm: tokenConstants.algorithm }), jti, exp };
  };
  return {
    keyId: createHash('sha256').update('panel-token-key-id\0').update(options.secret).digest('hex').slice(0, 16),
    issuePair: (userId, sessionId, now) => {
      const access = sign('access', userId, sessionId, now, options.accessTtlMs);
      const refresh = sign('refresh', userId, sessionId, now, options.refreshTtlMs);
      return {
        accessToken: access.token,
        refreshToken: refresh.token,
        refreshHash: sha256(refresh.jti),
        accessTtlSeconds: Math.floor(options.accessTtlMs / 1000),
        expiresAt: new Date(refresh.exp * 1000),
      };
    },
    issueChallenge: (userId, challengeId, now, ttlMs) => sign('challenge', userId, challengeId, now, ttlMs).token,
    readChallenge: (token) => verifyToken(key, 'challenge', token),
    readRefresh: (token) => {
      const claims = verifyToken(key, 'refresh', token);
      return { ...claims, hash: sha256(claims.jti) };
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
