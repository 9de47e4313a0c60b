import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { fail } from '../reasons.js';
import { type AnswerStore, answerTtlMs, leaseMs, readStored, stored } from './answer-store.js';

const beginScript = `
local value = redis.call('GET', KEYS[1])
if value then return value end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

const finishScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
`;

const abandonScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`;

/**
 * Shared by all gateways on one Redis. While that is away a request with a key is refused: whoever sends one wants to be
 * sure, and without the memory nobody could be.
 */
export function createRedisAnswers(redis: Redis, prefix: string): AnswerStore {
  const keyOf = (name: string) => `${prefix}:idempotency:${name}`;
  const run = async (script: string, name: string, ...args: (string | number)[]) => {
    try {
      return await redis.eval(script, 1, keyOf(name), ...args);
    } catch (error) {
      throw fail('IDEMPOTENCY_STORE_UNAVAILABLE', 'the memory of earlier answers is away', {}, { cause: error });
    }
  };
  return {
    begin: async (name, fingerprint) => {
      const claim = stored.claim(fingerprint, randomUUID());
      const value = String(await run(beginScript, name, claim, leaseMs));
      return value === claim ? { kind: 'new', claim } : readStored(value, fingerprint);
    },
    finish: async (name, claim, answer) => {
      await run(finishScript, name, claim, stored.answer(claim, answer), answerTtlMs);
    },
    abandon: async (name, claim) => {
      await run(abandonScript, name, claim);
    },
  };
}
