import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts texts that are kept in the database. */
export interface SecretBox {
  /** `purpose` must be the same for opening: a sealed text cannot be moved to another field. Empty text stays empty. */
  seal(text: string, purpose: string): string;
  /** Null when it was sealed with another secret or for another purpose, or changed. */
  open(sealed: string, purpose: string): string | null;
}

/** AES-256-GCM with the nonce of 96 bits and tag of 128 bits of NIST SP 800-38D. */
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Names the format, so that it can change. */
const prefix = 'v1.';

/** A box over SERVICE_SECRET. Its key is derived (HKDF-SHA256, RFC 5869), so nothing sealed tells about the secret's other uses. */
export function createSecretBox(serviceSecret: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', serviceSecret, 'panel-admin', 'secrets at rest', 32));
  return {
    seal: (text, purpose) => {
      if (text === '') return '';
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open: (sealed, purpose) => {
      if (sealed === '') return '';
      if (!sealed.startsWith(prefix)) return null;
      return decrypt(key, Buffer.from(sealed.slice(prefix.length), 'base64'), purpose);
    },
  };
}

function decrypt(key: Buffer, bytes: Buffer, purpose: string): string | null {
  if (bytes.length < nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // the one failure final() has: the tag does not match
    return null;
  }
}
