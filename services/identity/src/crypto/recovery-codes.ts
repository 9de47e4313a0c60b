import { randomBytes } from 'node:crypto';

const count = 10;
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const length = 16;
const plainPattern = new RegExp(`^[${alphabet}]{${length}}$`);

/** Ten codes of 80 bits, like `abcd-efgh-ijkm-npqr`, without look-alike characters. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const characters = [...randomBytes(length)].map((byte) => alphabet.charAt(byte % alphabet.length));
    return characters.join('').replace(/(.{4})(?=.)/g, '$1-');
  });
}

/** Normalised for hashing; null: malformed. */
export function plainRecoveryCode(text: string): string | null {
  if (text.length > 64) return null;
  const plain = text.toLowerCase().replace(/[\s-]/g, '');
  return plainPattern.test(plain) ? plain : null;
}
