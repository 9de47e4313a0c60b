import { randomBytes } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type ResponseStore, responseTtlMs, claimTtlMs } from '../../src/idempotency/response-store.js';
import { createMemoryResponseStore } from '../../src/idempotency/memory-response-store.js';
import { createRedisResponseStore } from '../../src/idempotency/redis-response-store.js';

for (const kind of ['memory', 'redis'] as const) {
  describe(`response store in ${kind}`, () => {
    let store: ResponseStore;
    let redis: Redis | null = null;
    let skipMs: (ms: number) => Promise<void>;

    beforeEach(async function () {
      const prefix = `test-${randomBytes(6).toString('hex')}`;
      if (kind === 'memory') {
        let nowMs = 1;
        store = createMemoryResponseStore(() => new Date(nowMs));
        skipMs = async (ms) => void (nowMs += ms);
        return;
      }
      const url = await testRedisUrl();
      if (url === null) {
        this.skip();
        return;
      }
      const connection = (redis ??= new Redis(url));
      store = createRedisResponseStore(connection, prefix);
      // Redis's clock cannot be moved: shortens the expiry of every key.
      skipMs = async (ms) => {
        for (const key of await connection.keys(`${prefix}:idempotency:*`)) {
          const remainingMs = await connection.pttl(key);
          if (remainingMs <= ms) await connection.del(key);
          else await connection.pexpire(key, remainingMs - ms);
        }
      };
    });
    after(() => redis?.disconnect());

    const claimOf = async (name: string, fingerprint = 'f') => {
      const result = await store.claim(name, fingerprint);
      if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
      return result.claim;
    };

    it('grants a key to exactly one of 50 concurrent claims', async () => {
      const results = await Promise.all(Array.from({ length: 50 }, async () => store.claim('race', 'f')));
      expect(results.filter((each) => each.kind === 'claimed')).to.have.length(1);
      expect(results.filter((each) => each.kind === 'in_progress')).to.have.length(49);
    });

    it('returns the stored response to the same request and reports a mismatch to another', async () => {
      await store.store('a', await claimOf('a'), 'the response');
      expect(await store.claim('a', 'f')).to.deep.equal({ kind: 'completed', response: 'the response' });
      expect(await store.claim('a', 'g')).to.deep.equal({ kind: 'mismatch' });
    });

    it('frees a key whose claim was released', async () => {
      await store.release('b', await claimOf('b'));
      await claimOf('b', 'g');
    });

    it('expires the claim of a dead process and ignores its late updates', async () => {
      const deadClaim = await claimOf('c');
      await skipMs(claimTtlMs + 1);
      const liveClaim = await claimOf('c');
      await store.store('c', deadClaim, 'of the dead process');
      await store.release('c', deadClaim);
      expect((await store.claim('c', 'f')).kind).to.equal('in_progress');
      await store.store('c', liveClaim, 'of the live process');
      expect(await store.claim('c', 'f')).to.deep.equal({ kind: 'completed', response: 'of the live process' });
    });

    it('keeps a response for a day', async () => {
      await store.store('d', await claimOf('d'), 'x');
      await skipMs(responseTtlMs - 60_000);
      expect((await store.claim('d', 'f')).kind).to.equal('completed');
      await skipMs(61_000);
      await claimOf('d');
    });
  });
}

describe('response store without Redis', () => {
  it('refuses a claim with IDEMPOTENCY_STORE_UNAVAILABLE', async () => {
    const redis = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: null });
    redis.on('error', () => undefined);
    try {
      await createRedisResponseStore(redis, 'test').claim('a', 'f');
      expect.fail('the key was claimed');
    } catch (error) {
      expect(isAppError(error, 'IDEMPOTENCY_STORE_UNAVAILABLE')).to.equal(true);
    }
    redis.disconnect();
  });
});
