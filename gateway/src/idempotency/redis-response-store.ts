import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { fail } from '../reasons.js';
import { claimTtlMs, decodeEntry, encodeEntry, type ResponseStore, responseTtlMs } from './response-store.js';

const claimScript = `
local value = redis.call('GET', KEYS[1])
if value then return value end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

const storeScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
`;

const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

/** While Redis is unavailable, requests with a key are refused: duplicates would go undetected. */
export function createRedisResponseStore(redis: Redis, prefix: string): ResponseStore {
  const run = async (script: string, storageKey: string, ...args: (string | number)[]) => {
    try {
      return await redis.eval(script, 1, `${prefix}:idempotency:${storageKey}`, ...args);
    } catch (error) {
      throw fail('IDEMPOTENCY_STORE_UNAVAILABLE', 'the idempotency store is unavailable', {}, { cause: error });
    }
  };
  return {
    claim: async (storageKey, fingerprint) => {
      const claim = encodeEntry.claim(fingerprint, randomUUID());
      const value = String(await run(claimScript, storageKey, claim, claimTtlMs));
      return value === claim ? { kind: 'claimed', claim } : decodeEntry(value, fingerprint);
    },
    store: async (storageKey, claim, response) => {
      await run(storeScript, storageKey, claim, encodeEntry.response(claim, response), responseTtlMs);
    },
    release: async (storageKey, claim) => {
      await run(releaseScript, storageKey, claim);
    },
  };
}
