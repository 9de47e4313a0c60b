import { randomBytes } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createSlotLeases, keepIntervalMs, leaseMs, type SlotLeases } from '../../src/ws/slot-leases.js';
import { SocketSlots } from '../../src/ws/slots.js';

const log = createLogger({ service: 'test', level: 'silent' });
const limits = { perServer: 2, perUser: 2 };

async function isRefused(taking: Promise<unknown>): Promise<boolean> {
  return taking.then(
    () => false,
    (error: unknown) => isAppError(error, 'TOO_MANY_SOCKETS'),
  );
}

describe('socket slots of one gateway', () => {
  it('limits slots per server and per user and releases each once', async () => {
    const slots = new SocketSlots(limits, { leases: null, share: 1, log });
    const release = await slots.take('s1', 'u1');
    await slots.take('s1', 'u2');
    expect(await isRefused(slots.take('s1', 'u3'))).to.equal(true);
    await slots.take('s2', 'u1');
    expect(await isRefused(slots.take('s3', 'u1'))).to.equal(true);
    release();
    release();
    await slots.take('s1', 'u3');
    expect(await isRefused(slots.take('s1', 'u4'))).to.equal(true);
  });
});

describe('socket slots of several gateways', () => {
  let redis: Redis;
  let prefix = '';
  before(async function () {
    const url = await testRedisUrl();
    if (url === null) {
      this.skip();
      return;
    }
    redis = new Redis(url);
  });
  beforeEach(() => {
    prefix = `test-${randomBytes(6).toString('hex')}`;
  });
  after(() => redis?.disconnect());

  const gateway = (ttlMs?: number, leases: SlotLeases = createSlotLeases(redis, prefix, ttlMs), share = 0.5) =>
    new SocketSlots(limits, { leases, share, log });

  it('limits the slots of several gateways together per server and per user', async () => {
    const [one, other] = [gateway(), gateway()];
    await one.take('s1', 'u1');
    await other.take('s1', 'u2');
    for (const slots of [one, other]) expect(await isRefused(slots.take('s1', 'u3'))).to.equal(true);
    await other.take('s2', 'u1');
    for (const slots of [one, other]) expect(await isRefused(slots.take('s3', 'u1'))).to.equal(true);
    expect(await isRefused(one.take('s3', 'u3'))).to.equal(false);
  });

  it('accepts as many of 50 concurrent sockets as there are slots', async () => {
    const gateways = [gateway(), gateway()];
    const taking = Array.from({ length: 50 }, async (_, i) =>
      isRefused((gateways[i % 2] ?? gateway()).take('s', `u${i}`)),
    );
    expect((await Promise.all(taking)).filter((refused) => !refused)).to.have.length(2);
  });

  it('gives a slot again after its release', async () => {
    const [one, other] = [gateway(), gateway()];
    const releases = [await one.take('s', 'u1'), await one.take('s', 'u2')];
    expect(await isRefused(other.take('s', 'u3'))).to.equal(true);
    for (const release of releases) release();
    await waitUntil('a free place', async () => !(await isRefused(other.take('s', 'u3'))), 2_000);
  });

  it('releases the slots of a dead gateway when their leases expire', async () => {
    const dead = gateway(400);
    await dead.take('s', 'u1');
    await dead.take('s', 'u2');
    const other = gateway();
    expect(await isRefused(other.take('s', 'u3'))).to.equal(true);
    await waitUntil('a free place', async () => !(await isRefused(other.take('s', 'u3'))));
  });

  it('frees the slots of a dead gateway for 200 reconnecting sockets within 5 s, and lets a live one miss two renewals', async () => {
    expect(leaseMs)
      .to.be.below(5_000)
      .and.at.least(3 * keepIntervalMs);
    const [many, ttlMs] = [{ perServer: 200, perUser: 200 }, 600];
    const open = async (slots: SocketSlots) =>
      Promise.all(Array.from({ length: 200 }, async () => isRefused(slots.take('s', 'u'))));
    const leases = () => createSlotLeases(redis, prefix, ttlMs);
    const dead = new SocketSlots(many, { leases: leases(), share: 0.5, log });
    expect(await open(dead)).to.not.include(true);
    const diedAt = performance.now();
    const other = new SocketSlots(many, { leases: leases(), share: 0.5, log });
    let taken = 0;
    const takeAll = async () => {
      taken += (await open(other)).filter((refused) => !refused).length;
      return taken >= 200;
    };
    await waitUntil('every place', takeAll, 5_000);
    expect(taken).to.equal(200);
    expect(performance.now() - diedAt).to.be.below(5_000);
  });

  it('renews the slots of a live gateway', async () => {
    const [living, other] = [gateway(400), gateway()];
    await living.take('s', 'u1');
    await living.take('s', 'u2');
    const begin = performance.now();
    await waitUntil('three leases', async () => {
      await living.keep();
      expect(await isRefused(other.take('s', 'u3'))).to.equal(true);
      return performance.now() - begin > 1_200;
    });
  });

  it('registers slots again after Redis lost its data', async () => {
    const [one, other] = [gateway(), gateway()];
    await one.take('s', 'u1');
    await one.take('s', 'u2');
    await redis.del(`${prefix}:sockets:server:s`, `${prefix}:sockets:user:u1`, `${prefix}:sockets:user:u2`);
    await one.keep();
    expect(await isRefused(other.take('s', 'u3'))).to.equal(true);
  });

  it('keeps a slot released that is released during a renewal', async () => {
    const real = createSlotLeases(redis, prefix);
    let release: (() => void) | null = null;
    const leases: SlotLeases = {
      ...real,
      keep: async (held) => {
        release?.();
        await waitUntil('the place to be free', async () => (await redis.zcard(`${prefix}:sockets:server:s`)) === 0);
        await real.keep(held);
      },
    };
    const slots = gateway(undefined, leases);
    release = await slots.take('s', 'u1');
    await slots.keep();
    await waitUntil('the place to be free', async () => (await redis.zcard(`${prefix}:sockets:server:s`)) === 0);
  });

  it('divides slots while Redis is unavailable and registers them afterwards', async () => {
    const real = createSlotLeases(redis, prefix);
    let isUnavailable = true;
    const leases: SlotLeases = {
      take: async (lease) => (isUnavailable ? Promise.reject(new Error('away')) : real.take(lease)),
      keep: async (held) => (isUnavailable ? Promise.reject(new Error('away')) : real.keep(held)),
      release: async (lease) => (isUnavailable ? Promise.reject(new Error('away')) : real.release(lease)),
    };
    const [one, other] = [gateway(undefined, leases), gateway(undefined, leases)];
    await one.take('s', 'u1');
    await other.take('s', 'u2');
    for (const slots of [one, other]) expect(await isRefused(slots.take('s', 'u3'))).to.equal(true);
    await one.keep();
    isUnavailable = false;
    await one.keep();
    await other.keep();
    expect(await isRefused(gateway().take('s', 'u3'))).to.equal(true);
  });

  it('leaves no key without expiry in Redis', async () => {
    await gateway().take('s', 'u');
    for (const key of await redis.keys(`${prefix}:*`)) expect(await redis.pttl(key)).to.be.within(1, 30_000);
  });
});
