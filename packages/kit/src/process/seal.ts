import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** For texts in a database. */
export interface Seal {
  /** Bound to additional authenticated data (an object's field). */
  seal(text: string, aad: string): string;
  /** Null for other data, an unavailable secret or a changed text. */
  open(sealed: string, aad: string): string | null;
  /** Otherwise sealing again completes a rotation. */
  isCurrent(sealed: string): boolean;
}

/** AES-256-GCM with a 96-bit nonce and a 128-bit tag (NIST SP 800-38D). */
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const shape = /^sealed\.v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * The first secret seals, all open. Keys are derived (HKDF-SHA256, RFC 5869) for `purpose`. Throws TypeError without a
 * secret.
 */
export function createSeal(secrets: readonly string[], purpose: string): Seal {
  const keys = secrets.map((secret) => keyOf(secret, purpose));
  const [current] = keys;
  if (!current) throw new TypeError('a seal needs a secret');
  return {
    seal: (text, aad) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current.bytes, nonce).setAAD(Buffer.from(aad));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `sealed.v1.${current.id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open: (sealed, aad) => {
      const [, id, body = ''] = shape.exec(sealed) ?? [];
      const key = keys.find((one) => one.id === id);
      return key ? decrypt(key, Buffer.from(body, 'base64url'), aad) : null;
    },
    isCurrent: (sealed) => shape.exec(sealed)?.[1] === current.id,
  };
}

function keyOf(secret: string, purpose: string): Key {
  const derive = (use: string, length: number) => Buffer.from(hkdfSync('sha256', secret, purpose, use, length));
  return { id: derive('name of the key', 4).toString('hex'), bytes: derive('secrets at rest', 32) };
}

function decrypt(key: Key, bytes: Buffer, aad: string): string | null {
  if (bytes.length < nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv(algorithm, key.bytes, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(aad))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // final() fails only for a wrong tag
    return null;
  }
}
