import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';

/* Handmade tokens, because libraries refuse most of these. */
export type Claims = Readonly<Record<string, unknown>>;

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JWT with any header and payload, signed with HMAC (`secret`) or unsigned (null). */
export function signToken(
  claims: Claims,
  secret: string | Buffer | null,
  header: Claims = { alg: 'HS256', typ: 'JWT' },
): string {
  const text = `${encode(header)}.${encode(claims)}`;
  const hash = header['alg'] === 'HS512' ? 'sha512' : header['alg'] === 'HS384' ? 'sha384' : 'sha256';
  return `${text}.${secret === null ? '' : createHmac(hash, secret).update(text).digest('base64url')}`;
}

/** A JWT signed with a fresh RSA key, and its public key. */
export function signWithRsa(claims: Claims): { readonly token: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createSign('sha256').update(text).sign(privateKey).toString('base64url');
  return { token: `${text}.${signature}`, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

/** Unverified. */
export function readToken(token: string): { readonly header: Claims; readonly claims: Claims } {
  const [header = '', claims = ''] = token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Claims;
  return { header: decode(header), claims: decode(claims) };
}

/** Valid claims of an access token of this session. */
export function accessClaims(userId: string, sessionId: string, change: Claims = {}): Claims {
  const now = Math.floor(Date.now() / 1000);
  const lasting = { iss: 'panel', aud: 'panel-api', typ: 'access', iat: now, exp: now + 900 };
  return { ...lasting, sub: userId, sid: sessionId, jti: randomUUID(), ...change };
}
