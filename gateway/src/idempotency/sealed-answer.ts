import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { uuidOf } from '@panel/rpc';
import type { Identity } from '../auth/identity.js';

export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Names, fingerprints and seals for what an Idempotency-Key leaves behind, all from the secret the services share. */
export interface Seals {
  /** Stands for a user's key, or one of an API key, which is not to be told what its owner was told; does not tell either. */
  nameOf(caller: Pick<Identity, 'userId' | 'method' | 'credentialId'>, key: string): string;
  /** Stands for a request: the same only for the same method, path and body. */
  fingerprintOf(method: string, path: string, body: string | Buffer): string;
  /** The id of what this request creates, however often it is repeated. */
  creationIdOf(name: string, fingerprint: string): string;
  /** An answer may hold what is shown only once (an API key), so it is kept encrypted. */
  seal(name: string, answer: KeptAnswer): string;
  /** Null when it was not sealed under this name and secret. */
  open(name: string, sealed: string): KeptAnswer | null;
}

export function createSeals(secret: string): Seals {
  const mac = (...parts: (string | Buffer)[]) => {
    const hmac = createHmac('sha256', secret);
    for (const part of parts) hmac.update(`${part.length} `).update(part);
    return hmac.digest();
  };
  const keyFor = (name: string) => Buffer.from(hkdfSync('sha256', secret, name, 'kept answer', 32));
  return {
    nameOf: ({ userId, method, credentialId }, key) =>
      mac('name', userId, method === 'api_key' ? credentialId : '', key).toString('base64url'),
    fingerprintOf: (method, path, body) => mac('request', method, path, body).toString('base64url'),
    creationIdOf: (name, fingerprint) => uuidOf(mac('creation', name, fingerprint)),
    seal: (name, answer) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, keyFor(name), iv);
      const body = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open: (name, sealed) => openSealed(keyFor(name), Buffer.from(sealed, 'base64')),
  };
}

function openSealed(key: Buffer, bytes: Buffer): KeptAnswer | null {
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as KeptAnswer;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
