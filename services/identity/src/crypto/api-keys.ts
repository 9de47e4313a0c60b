import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256: like guessing an AES-256 key. */
const randomLength = 43;
/** Shown in lists; the secret rest exceeds 200 bits. */
const identifierLength = 8;
/** Largest multiple of 62 in a byte: rejects larger bytes against bias. */
const rejectFrom = 248;

interface NewApiKey {
  readonly key: string;
  readonly hash: string;
  /** First characters, shown in lists. */
  readonly identifier: string;
}

/** `<prefix>_` and 43 base62 characters. */
export interface ApiKeys {
  /** The same `seed` (`idempotencySeed`) gives the same key: a repeated creation returns it again. */
  make(seed?: string): NewApiKey;
  /** Stored hash; null: malformed, skips the lookup. */
  hashOf(text: string): string | null;
}

/** `secret` stays in the services: a seed alone makes no key. */
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

/** Deterministic per seed, unpredictable without the key. */
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
