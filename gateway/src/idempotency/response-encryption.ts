import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { uuidOf } from '@panel/rpc';
import type { Identity } from '../auth/identity.js';

interface StoredResponse {
  readonly status: number;
  readonly body: unknown;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Storage keys, fingerprints and encryption of stored responses, derived from the secret that the services share. */
export interface ResponseEncryption {
  /**
   * Identifies a caller's Idempotency-Key without revealing either. All sessions of a user share their keys; an API key
   * has its own, because it must not read what its owner was shown.
   */
  storageKeyOf(caller: Pick<Identity, 'userId' | 'method' | 'credentialId'>, key: string): string;
  /** Identifies a request: equal only for the same method, path with query, and body. */
  fingerprintOf(method: string, url: string, body: string | Buffer): string;
  /** The id of the object that this request creates; the same for every repetition. */
  idempotencyIdOf(storageKey: string, fingerprint: string): string;
  /** Responses are encrypted because they may hold what is shown only once, such as an API key. */
  encrypt(storageKey: string, response: StoredResponse): string;
  /** Null when the text was not encrypted under this storage key and secret. */
  decrypt(storageKey: string, encrypted: string): StoredResponse | null;
}

export function createResponseEncryption(secret: string): ResponseEncryption {
  const mac = (...parts: (string | Buffer)[]) => {
    const hmac = createHmac('sha256', secret);
    for (const part of parts) hmac.update(`${part.length} `).update(part);
    return hmac.digest();
  };
  const encryptionKeyOf = (storageKey: string) =>
    Buffer.from(hkdfSync('sha256', secret, storageKey, 'stored response', 32));
  return {
    storageKeyOf: ({ userId, method, credentialId }, key) =>
      mac('name', userId, method === 'api_key' ? credentialId : '', key).toString('base64url'),
    fingerprintOf: (method, url, body) => mac('request', method, url, body).toString('base64url'),
    idempotencyIdOf: (storageKey, fingerprint) => uuidOf(mac('creation', storageKey, fingerprint)),
    encrypt: (storageKey, response) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, encryptionKeyOf(storageKey), iv);
      const body = Buffer.concat([cipher.update(JSON.stringify(response), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    decrypt: (storageKey, encrypted) => decryptResponse(encryptionKeyOf(storageKey), Buffer.from(encrypted, 'base64')),
  };
}

function decryptResponse(key: Buffer, bytes: Buffer): StoredResponse | null {
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as StoredResponse;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
