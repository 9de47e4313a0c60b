import { createHmac, hkdfSync } from 'node:crypto';
import { createSeal } from '@panel/kit/process';
import { fail } from '../reasons.js';

/**
 * Protects stored secrets against a database copy. Keys come from SERVICE_SECRET: a change of JWT_SECRET must only end
 * sessions.
 */
export interface SecretBox {
  /** `aad`: required again to open. */
  seal(text: string, aad: string): string;
  /** Throws SECRET_UNREADABLE (other `aad` or SERVICE_SECRET). */
  open(sealed: string, aad: string): string;
  /** Keyed, for codes short enough for offline guessing. */
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
