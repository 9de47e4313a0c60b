import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
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

const version = 'v1';
const ivBytes = 12;
const tagBytes = 16;

export function createSecretBox(serviceSecret: string): SecretBox {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', serviceSecret, '', `panel-identity ${purpose}`, 32));
  const sealKey = derive('seal v1');
  const codeKey = derive('code v1');
  return {
    seal: (text, place) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open: (sealed, place) => {
      const [name, text = ''] = sealed.split('.');
      const bytes = Buffer.from(text, 'base64url');
      if (name !== version || bytes.length < ivBytes + tagBytes) throw unreadable();
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw unreadable(error);
      }
    },
    hashCode: (code, place) => createHmac('sha256', codeKey).update(`${place}\0${code}`).digest('hex'),
  };
}

function unreadable(cause?: unknown) {
  return fail('SECRET_UNREADABLE', 'a stored secret does not open: was SERVICE_SECRET changed?', {}, { cause });
}
