import { randomBytes } from 'node:crypto';

const count = 10;
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const length = 16;
const plainPattern = new RegExp(`^[${alphabet}]{${length}}$`);

/** Ten new recovery codes of 80 bits, as people see them: `abcd-efgh-ijkm-npqr`. No character looks like another. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const characters = [...randomBytes(length)].map((byte) => alphabet.charAt(byte % alphabet.length));
    return characters.join('').replace(/(.{4})(?=.)/g, '$1-');
  });
}

/** A code as it is hashed, whatever people typed between its characters; null for text that cannot be one. */
export function plainRecoveryCode(text: string): string | null {
  if (text.length > 64) return null;
  const plain = text.toLowerCase().replace(/[\s-]/g, '');
  return plainPattern.test(plain) ? plain : null;
}
