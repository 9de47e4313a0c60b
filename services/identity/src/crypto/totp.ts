import { randomBytes, timingSafeEqual } from 'node:crypto';
import speakeasy from 'speakeasy';

/*
 * RFC 6238 as all authenticator apps support it: SHA-1, 6 digits, 30 s. speakeasy is unmaintained: only its HOTP is
 * used, here only, tested with the RFC's vectors.
 */

const stepSeconds = 30;
/** Tolerated clock drift in steps, both ways. */
const driftSteps = 1;
/** Recommended by RFC 4226 §4: 160 bits. */
const secretBytes = 20;
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32. */
export function generateTotpSecret(): string {
  let bits = '';
  for (const byte of randomBytes(secretBytes)) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? []).map((group) => base32Alphabet.charAt(parseInt(group, 2))).join('');
}

export function totpStep(at: Date): number {
  return Math.floor(at.getTime() / 1000 / stepSeconds);
}

export function totpCode(secret: string, step: number, digits = 6): string {
  return speakeasy.hotp({ secret, encoding: 'base32', counter: step, digits });
}

/** Null: no match near `at`, or not six digits. */
export function matchTotpStep(secret: string, code: string, at: Date): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null;
  const given = Buffer.from(code);
  const now = totpStep(at);
  let matching: number | null = null;
  for (let step = now - driftSteps; step <= now + driftSteps; step += 1) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), given)) matching = step;
  }
  return matching;
}

/** Content of the QR code. */
export function otpauthUrl(options: { secret: string; account: string; issuer: string }): string {
  const { secret, account, issuer } = options;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=${stepSeconds}`;
  return `otpauth://totp/${label}?${query}`;
}
