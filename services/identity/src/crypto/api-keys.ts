import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256: guessing one is as hard as guessing an AES-256 key. */
const randomLength = 43;
/** Shown in lists; what stays secret still holds over 200 bits. */
const identifierLength = 8;
/** The largest multiple of 62 in a byte: bytes from here on would make some characters likelier. */
const rejectFrom = 248;

interface NewApiKey {
  readonly key: string;
  readonly hash: string;
  /** The first characters, to recognise it by. */
  readonly identifier: string;
}

/** The API keys of one installation: `<prefix>_` and 43 base62 characters. */
export interface ApiKeys {
  /** A new key; of a creation (its `idempotencySeed`) always the same one, so that its repetition gets it again. */
  make(seed?: string): NewApiKey;
  /** The hash a key is stored under; null for text that cannot be a key, so that it is never looked up. */
  hashOf(text: string): string | null;
}

/** `secret` never leaves the services: a seed alone makes no key. */
export function createApiKeys(prefix: string, secret: string): ApiKeys {
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{${randomLength}}$`);
  const seedKey = Buffer.from(hkdfSync('sha256', secret, '', 'API keys of creations', 32));
  return {
    make: (seed) => {
      const source = seed === undefined ? randomBytes : seededBytes(seedKey, seed);
      const key = `${prefix}_${textFrom(source, randomLength)}`;
      return { key, hash: sha256(key), identifier: key.slice(0, prefix.length + 1 + identifierLength) };
    },
    hashOf: (text) => (pattern.test(text) ? sha256(text) : null),
  };
}

/** A source of bytes that are unpredictable without the key, and that starts again for the same seed. */
function seededBytes(key: Buffer, seed: string): (count: number) => Buffer {
  let block = 0;
  return (count) => {
    const blocks: Buffer[] = [];
    for (let length = 0; length < count; length += 32)
      blocks.push(createHmac('sha256', key).update(`${block++} ${seed}`).digest());
    return Buffer.concat(blocks).subarray(0, count);
  };
}

function textFrom(source: (count: number) => Buffer, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of source(length)) {
      if (byte < rejectFrom && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
