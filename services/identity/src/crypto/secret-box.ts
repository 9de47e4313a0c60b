import { createHmac, hkdfSync } from 'node:crypto';
import { createSeal } from '@panel/kit';
import { fail } from '../reasons.js';

/**
 * Keeps secrets in the database that a copy of the database must not give away. The keys come from SERVICE_SECRET, not
 * from JWT_SECRET, because changing that one must end sessions and nothing else.
 */
export interface SecretBox {
  /** Encrypt text for one place; it opens in no other. */
  seal(text: string, place: string): string;
  /** Throws SECRET_UNREADABLE when it was sealed for another place or with another SERVICE_SECRET. */
  open(sealed: string, place: string): string;
  /** A hash nobody can compute without the secret: for codes short enough to be tried out. */
  hashCode(code: string, place: string): string;
}

export function createSecretBox(serviceSecret: string): SecretBox {
  const purpose = 'panel-identity';
  const seal = createSeal([serviceSecret], purpose);
  const codeKey = Buffer.from(hkdfSync('sha256', serviceSecret, purpose, 'codes', 32));
  return {
    seal: (text, place) => seal.seal(text, place),
    open: (sealed, place) => {
      const text = seal.open(sealed, place);
      if (text === null) throw unreadable();
      return text;
    },
    hashCode: (code, place) => createHmac('sha256', codeKey).update(`${place}\0${code}`).digest('hex'),
  };
}

function unreadable() {
  return fail('SECRET_UNREADABLE', 'a stored secret does not open: was SERVICE_SECRET changed?');
}
