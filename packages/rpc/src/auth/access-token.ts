import { createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@panel/kit/errors';
import { verifyJwt } from './verify-jwt.js';

/**
 * Identity signs and every gateway verifies with the same JWT_SECRET. HS256; `iss` and `aud` as below; `sub` user id,
 * `sid` session id, `jti` unique, `typ`, `iat`, `exp`. Audience and type both fix the purpose (RFC 8725 §3.11).
 */
export const tokenConstants = {
  algorithm: 'HS256',
  issuer: 'panel',
  audiences: { access: 'panel-api', refresh: 'panel-refresh', challenge: 'panel-2fa' },
  /** Between `iat` and `exp`; longer tokens are not identity's. */
  maxLifetimeSeconds: { access: 86_400, refresh: 366 * 86_400, challenge: 3_600 },
} as const;

export const accessTokenClaims = {
  iss: tokenConstants.issuer,
  aud: tokenConstants.audiences.access,
  typ: 'access',
} as const;

export type TokenType = keyof typeof tokenConstants.audiences;

/** Verified claims; times in seconds since 1970. */
export interface TokenClaims {
  /** User id. */
  readonly sub: string;
  /** Session id; for a challenge token, the challenge's id. */
  readonly sid: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

/** Valid tokens are under 500 characters. */
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

/** Created once: jsonwebtoken needs 300 µs a call for a string secret. */
export function createTokenKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}

/** Throws UNAUTHENTICATED (INVALID_TOKEN) without details. */
export function verifyAccessToken(key: KeyObject, token: string, now = new Date()): TokenClaims {
  return verifyToken(key, 'access', token, now);
}

/** Of exactly this type. Throws UNAUTHENTICATED (INVALID_TOKEN). */
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
