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

export interface ResponseEncryption {
  /** Hides caller and key. Sessions of a user share keys; an API key must not read its owner's responses. */
  storageKeyOf(caller: Pick<Identity, 'userId' | 'method' | 'credentialId'>, key: string): string;
  /** By method, path with query, and body. */
  fingerprintOf(method: string, url: string, body: string | Buffer): string;
  /** Id of the created object, equal for repetitions. */
  idempotencyIdOf(storageKey: string, fingerprint: string): string;
  /** Responses may contain secrets shown once, such as API keys. */
  encrypt(storageKey: string, response: StoredResponse): string;
  /** Null: another storage key or secret. */
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
