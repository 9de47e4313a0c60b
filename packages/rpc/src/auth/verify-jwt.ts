import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';

/** The clocks of two machines may differ by this much. */
const maxClockSkewSeconds = 60;

/** Ours say nothing more. What a header marks as critical must not be passed over (RFC 7515 §4.1.11), nor keys it names used. */
const headerSchema = z.strictObject({ alg: z.literal('HS256'), typ: z.literal('JWT') });
const timesSchema = z.object({ iat: z.int(), exp: z.int() });

export interface JwtRules<T> {
  readonly audience: string;
  readonly issuer?: string;
  /** The longest time between `iat` and `exp`: a token that lives longer was not signed by us. */
  readonly maxLifetimeSeconds: number;
  /** More is not worth the hashing. */
  readonly maxLength: number;
  readonly schema: z.ZodType<T>;
}

/** The checked claims of a token of exactly this kind. Throws for anything else; the caller gives the error its reason. */
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
