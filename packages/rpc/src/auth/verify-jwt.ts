import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';

/** Tolerated clock skew between machines. */
const maxClockSkewSeconds = 60;

/** Critical headers must not be ignored (RFC 7515 §4.1.11), named keys not used. */
const headerSchema = z.strictObject({ alg: z.literal('HS256'), typ: z.literal('JWT') });
const timesSchema = z.object({ iat: z.int(), exp: z.int() });

export interface JwtRules<T> {
  readonly audience: string;
  readonly issuer?: string;
  /** Between `iat` and `exp`; longer tokens are foreign. */
  readonly maxLifetimeSeconds: number;
  /** Longer tokens are not hashed. */
  readonly maxLength: number;
  readonly schema: z.ZodType<T>;
}

/** Of exactly this kind. Throws; the caller sets the reason. */
export function verifyJwt<T>(
  token: string,
  key: KeyObject,
  { audience, issuer, maxLifetimeSeconds, maxLength, schema }: JwtRules<T>,
  now = new Date(),
): T {
  if (token.length > maxLength) throw new RangeError('the token is too long');
  const clockTimestamp = Math.floor(now.getTime() / 1_000);
  const { header, payload } = jwt.verify(token, key, {
    algorithms: ['HS256'],
    audience,
    ...(issuer !== undefined && { issuer }),
    clockTimestamp,
    complete: true,
  });
  headerSchema.parse(header);
  const { iat, exp } = timesSchema.parse(payload);
  if (iat - clockTimestamp > maxClockSkewSeconds) throw new RangeError('the token is from the future');
  if (exp - iat > maxLifetimeSeconds) throw new RangeError('the token lives too long');
  return schema.parse(payload);
}
