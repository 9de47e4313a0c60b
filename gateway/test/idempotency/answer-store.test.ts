import { randomBytes } from 'node:crypto';
import { isAppError } from '@panel/kit';
import { testRedisUrl } from '@panel/stack/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type AnswerStore, answerTtlMs, leaseMs } from '../../src/idempotency/answer-store.js';
import { createMemoryAnswers } from '../../src/idempotency/memory-answers.js';
import { createRedisAnswers } from '../../src/idempotency/redis-answers.js';

for (const kind of ['memory', 'redis'] as const) {
  describe(`kept answers in ${kind}`, () => {
    let store: AnswerStore;
    let redis: Redis | null = null;
    let skipMs: (ms: number) => Promise<void>;
    const prefix = `test-${randomBytes(6).toString('hex')}`;

    beforeEach(async function () {
      if (kind === 'memory') {
        let now = 1;
        store = createMemoryAnswers(() => now);
        skipMs = async (ms) => void (now += ms);
        return;
      }
      const url = await testRedisUrl();
      if (url === null) {
        this.skip();
        return;
      }
      const connection = (redis ??= new Redis(url));
      store = createRedisAnswers(connection, prefix);
      // Redis has no clock to turn: what would have expired is taken away.
      skipMs = async (ms) => {
        for (const key of await connection.keys(`${prefix}:idempotency:*`)) {
          const left = await connection.pttl(key);
          if (left <= ms) await connection.del(key);
          else await connection.pexpire(key, left - ms);
        }
      };
    });
    after(() => redis?.disconnect());

    const claimOf = async (name: string, fingerprint = 'f') => {
      const begun = await store.begin(name, fingerprint);
      if (begun.kind !== 'new') throw new Error(`not new: ${begun.kind}`);
      return begun.claim;
    };

    it('let one of many begin', async () => {
      const begun = await Promise.all(Array.from({ length: 50 }, async () => store.begin('race', 'f')));
      expect(begun.filter((each) => each.kind === 'new')).to.have.length(1);
      expect(begun.filter((each) => each.kind === 'running')).to.have.length(49);
    });

    it('give the answer back to the same request, and to no other', async () => {
      await store.finish('a', await claimOf('a'), 'the answer');
      expect(await store.begin('a', 'f')).to.deep.equal({ kind: 'done', answer: 'the answer' });
      expect(await store.begin('a', 'g')).to.deep.equal({ kind: 'other' });
    });

    it('are free again when nothing was done', async () => {
      await store.abandon('b', await claimOf('b'));
      await claimOf('b', 'g');
    });

    it('let a claim lapse whose worker is dead, and keep what its ghost says out', async () => {
      const dead = await claimOf('c');
      await skipMs(leaseMs + 1);
      const alive = await claimOf('c');
      await store.finish('c', dead, 'of the ghost');
      await store.abandon('c', dead);
      expect((await store.begin('c', 'f')).kind).to.equal('running');
      await store.finish('c', alive, 'of the living');
      expect(await store.begin('c', 'f')).to.deep.equal({ kind: 'done', answer: 'of the living' });
    });

    it('are kept for a day', async () => {
      await store.finish('d', await claimOf('d'), 'x');
      await skipMs(answerTtlMs - 60_000);
      expect((await store.begin('d', 'f')).kind).to.equal('done');
      await skipMs(61_000);
      await claimOf('d');
    });
  });
}

describe('kept answers while Redis is away', () => {
  it('are refused, because nobody could be sure', async () => {
    const redis = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: null });
    redis.on('error', () => undefined);
    try {
      await createRedisAnswers(redis, 'test').begin('a', 'f');
      expect.fail('it began');
    } catch (error) {
      expect(isAppError(error, 'IDEMPOTENCY_STORE_UNAVAILABLE')).to.equal(true);
    }
    redis.disconnect();
  });
});
