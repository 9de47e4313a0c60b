import { createTaskGroup, createLogger } from '@panel/kit/process';
import { testRedisUrl } from '@panel/testing';
import { quickestMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createServer, type Server, type Socket } from 'node:net';
import { createAuthEpochs } from '../../src/revocation/auth-epochs.js';
import { addUser, type Harness, keyActorOf, session, startHarness, visitor } from './harness.js';

describe('AuthEpochs', () => {
  let url: string;
  let redis: Redis;
  before(async function () {
    const found = await testRedisUrl();
    if (found === null) this.skip();
    url = found;
    redis = new Redis(url);
  });
  after(() => {
    redis?.disconnect();
  });
  const epoch = async (name: string) => redis.get(`panel:auth:epoch:${name}`);

  describe('by the service', () => {
    let harness: Harness;
    before(async () => {
      harness = await startHarness({ env: { REDIS_URL: url } });
    });
    after(async () => harness.stop());

    it('bumps the epoch of the user before answering any change that revokes something', async () => {
      const { id, email } = await addUser(harness);
      const [one, other] = [await session(harness, email), await session(harness, email)];
      const request = { description: 'a bot', allowedIps: [], expireTime: undefined, permissions: undefined };
      const { apiKey, key } = await harness.account.createApiKey(request, harness.as(one.actor));
      await keyActorOf(harness, key);
      const seen = [await epoch(id)];
      const as = harness.as(one.actor);
      await harness.account.deleteApiKey({ apiKeyId: apiKey?.id ?? '' }, as);
      seen.push(await epoch(id));
      await harness.account.revokeSession({ sessionId: other.actor.credentialId }, as);
      seen.push(await epoch(id));
      await harness.auth.logout({}, as);
      seen.push(await epoch(id));
      expect(new Set(seen).size, seen.join()).to.equal(4);
      expect(await redis.ttl(`panel:auth:epoch:${id}`)).to.be.within(3590, 3600);
    });

    it('bumps no other epoch, and none when nothing was revoked', async () => {
      const [anna, ben] = [await addUser(harness), await addUser(harness)];
      const hers = await session(harness, anna.email);
      await harness.auth.refreshSession({ refreshToken: hers.tokens.refreshToken, userAgent: '' }, harness.as(visitor));
      expect(await epoch(anna.id)).to.be.null;
      await harness.auth.logout({}, harness.as(hers.actor));
      expect(await epoch(ben.id)).to.be.null;
    });

    it('bumps the common epoch at start', async () => {
      const before = await epoch('all');
      await (await startHarness({ env: { REDIS_URL: url } })).stop();
      expect(await epoch('all'))
        .to.be.a('string')
        .and.not.equal(before);
    });

    it('stores one epoch for all users', async () => {
      const tasks = createTaskGroup(createLogger({ service: 'test', level: 'silent' }));
      const epochs = createAuthEpochs({
        redisUrl: url,
        log: createLogger({ service: 'test', level: 'silent' }),
        tasks,
      });
      await epochs.bumpAll();
      const first = await epoch('all');
      await epochs.bumpAll();
      expect(await epoch('all'))
        .to.be.a('string')
        .and.not.equal(first);
      await epochs.stop();
      await tasks.stop();
    });
  });

  it('keeps working without Redis and announces revocations when it is back', async () => {
    const gate = await startGate(new URL(url));
    const log = createLogger({ service: 'test', level: 'silent' });
    const tasks = createTaskGroup(log);
    const gated = new URL(url);
    gated.host = `127.0.0.1:${gate.port}`;
    const epochs = createAuthEpochs({ redisUrl: gated.href, log, tasks });
    try {
      const name = `test-${process.pid}-${Date.now()}`;
      await epochs.bump(name);
      const first = await epoch(name);
      expect(first).to.be.a('string');
      gate.close();
      const bumpBoth = async () => Promise.all([epochs.bump(name), epochs.bump(`${name}-other`)]);
      expect(await quickestMs(bumpBoth, 3)).to.be.below(2_500);
      expect(await epoch(name)).to.equal(first);
      gate.open();
      const deadline = Date.now() + 10_000;
      const isPaid = async () => (await epoch(name)) !== first && (await epoch(`${name}-other`)) !== null;
      while (!(await isPaid()) && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
      expect(await isPaid()).to.be.true;
      expect(tasks.size()).to.be.below(2);
    } finally {
      await epochs.stop();
      await tasks.stop();
      await gate.stop();
    }
  });
});

/** Proxy to a real Redis that can be cut and restored. */
async function startGate(target: URL) {
  const { connect } = await import('node:net');
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    if (!isOpen) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => {
        sockets.delete(end);
        (end === socket ? upstream : socket).destroy();
      });
    }
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    close: () => {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
    },
    open: () => {
      isOpen = true;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
