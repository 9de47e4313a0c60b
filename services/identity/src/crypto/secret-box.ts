import { createHmac, hkdfSync } from 'node:crypto';
import { createSeal } from '@panel/kit/process';
import { fail } from '../reasons.js';

/**
 * Keeps secrets in the database that a copy of the database must not give away. The keys come from SERVICE_SECRET, not
 * from JWT_SECRET, because changing that one must end sessions and nothing else.
 */
export interface SecretBox {
  /** Encrypt text with additional authenticated data: it opens with the same data only. */
  seal(text: string, aad: string): string;
  /** Throws SECRET_UNREADABLE when it was sealed with other data or another SERVICE_SECRET. */
  open(sealed: string, aad: string): string;
  /** A keyed hash, for codes short enough to be guessed offline. */
  hashCode(code: string, aad: string): string;
}

export function createSecretBox(serviceSecret: string): SecretBox {
  const purpose = 'panel-identity';
  const seal = createSeal([serviceSecret], purpose);
  const codeKey = Buffer.from(hkdfSync('sha256', serviceSecret, purpose, 'codes', 32));
  return {
    seal: (text, aad) => seal.seal(text, aad),
    open: (sealed, aad) => {
      const text = seal.open(sealed, aad);
      if (text === null) throw unreadable();
      return text;
    },
    hashCode: (code, aad) => createHmac('sha256', codeKey).update(`${aad}\0${code}`).digest('hex'),
  };
}

function unreadable() {
  return fail('SECRET_UNREADABLE', 'a stored secret does not open: was SERVICE_SECRET changed?');
}
