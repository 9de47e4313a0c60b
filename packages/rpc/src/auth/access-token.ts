import { createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@panel/kit/errors';
import { verifyJwt } from './verify-jwt.js';

/**
 * What every token of a person carries, in one place, because identity signs them and every gateway verifies them with
 * the same JWT_SECRET. HS256; `iss` and `aud` as below; `sub` user id, `sid` session id, `jti` unique, `typ`, `iat`, `exp`.
 * The audience and the type both say what a token is for, so that none is ever accepted in another's place (RFC 8725 §3.11).
 */
export const tokenConstants = {
  algorithm: 'HS256',
  issuer: 'panel',
  audiences: { access: 'panel-api', refresh: 'panel-refresh', challenge: 'panel-2fa' },
  /** The longest time between `iat` and `exp`. A token that lives longer was not signed by identity. */
  maxLifetimeSeconds: { access: 86_400, refresh: 366 * 86_400, challenge: 3_600 },
} as const;

/** The constants of access tokens, which gateways verify. */
export const accessTokenClaims = {
  iss: tokenConstants.issuer,
  aud: tokenConstants.audiences.access,
  typ: 'access',
} as const;

export type TokenType = keyof typeof tokenConstants.audiences;

/** The checked claims of a token; times in seconds since 1970. */
export interface TokenClaims {
  /** User id. */
  readonly sub: string;
  /** Session id; of a challenge token, the challenge's id. */
  readonly sid: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

/** Ours are under 500 characters; more is not worth the hashing. */
const maxTokenLength = 2048;

const claimsShape = {
  iss: z.literal(tokenConstants.issuer),
  sub: z.uuid(),
  sid: z.uuid(),
  jti: z.string().min(1).max(64),
  iat: z.int(),
  exp: z.int(),
};

const claimsSchemas: Record<TokenType, z.ZodType<TokenClaims>> = {
  access: claimsSchema('access'),
  refresh: claimsSchema('refresh'),
  challenge: claimsSchema('challenge'),
};

function claimsSchema<T extends TokenType>(type: T) {
  return z.object({ ...claimsShape, typ: z.literal(type), aud: z.literal(tokenConstants.audiences[type]) });
}

/** The key of JWT_SECRET. Made once: jsonwebtoken spends 300 µs a call on a string secret. */
export function createTokenKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}

/** Claims of an access token. Throws UNAUTHENTICATED (INVALID_TOKEN) for anything else, without saying what was wrong. */
export function verifyAccessToken(key: KeyObject, token: string, now = new Date()): TokenClaims {
  return verifyToken(key, 'access', token, now);
}

/** Claims of a token of exactly this type. Throws UNAUTHENTICATED (INVALID_TOKEN) for anything else. */
export function verifyToken(key: KeyObject, type: TokenType, token: string, now = new Date()): TokenClaims {
  try {
    const { sub, sid, jti, iat, exp } = verifyJwt(
      token,
      key,
      {
        audience: tokenConstants.audiences[type],
        issuer: tokenConstants.issuer,
        maxLifetimeSeconds: tokenConstants.maxLifetimeSeconds[type],
        maxLength: maxTokenLength,
        schema: claimsSchemas[type],
      },
      now,
    );
    return { sub, sid, jti, iat, exp };
  } catch (error) {
    throw invalidToken(error);
  }
}

function invalidToken(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'INVALID_TOKEN', 'the token is not valid', {}, { cause });
}
