import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '@panel/kit';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/stack/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { openSocket } from '../support/sockets.js';
import { type Person, World } from '../support/world.js';

describe('revocation', () => {
  const world = new World();
  before(async () => world.start());
  after(async () => world.stop());
  beforeEach(() => {
    world.calls.length = 0;
    world.failing.clear();
  });

  describe('with two gateways on one Redis', () => {
    let redis: Redis;
    let gateways: TestGateway[];
    let urls: string[];
    const redisPrefix = `test-revocation-${process.pid}`;

    /** What identity does after a change. */
    const changed = async (who: Person | 'all') =>
      redis.set(`${redisPrefix}:auth:epoch:${who === 'all' ? 'all' : who.userId}`, `${Math.random()}`);

    before(async function () {
      const redisUrl = await testRedisUrl();
      if (redisUrl === null) {
        this.skip();
        return;
      }
      redis = new Redis(redisUrl);
      gateways = await Promise.all([1, 2].map(async () => gatewayFor(world, { redisUrl, redisPrefix })));
      urls = gateways.map(({ url }) => url);
    });
    after(async () => {
      await Promise.all((gateways ?? []).map(async ({ running }) => running.stop()));
      redis?.disconnect();
    });

    const statuses = async (token: string, at = '/api/v1/account') =>
      Promise.all(urls.map(async (url) => (await send(url, at, { token })).status));

    it('asks identity once, then answers from memory', async () => {
      const { token } = signIn(world, world.person());
      for (let i = 0; i < 5; i++) expect(await statuses(token)).to.deep.equal([200, 200]);
      expect(world.count('authenticate')).to.equal(2);
    });

    it('holds on the next request everywhere: sessions', async () => {
      const person = world.person();
      const [one, other] = [signIn(world, person), signIn(world, person)];
      await statuses(one.token);
      await statuses(other.token);
      world.sessions.delete(one.sessionId);
      await changed(person);
      expect(await statuses(one.token)).to.deep.equal([401, 401]);
      expect(await statuses(other.token)).to.deep.equal([200, 200]);
    });

    it('holds on the next request everywhere: API keys and their rights', async () => {
      const person = world.person(['*']);
      const key = giveKey(world, person);
      for (let i = 0; i < 3; i++) expect(await statuses(key, '/api/v1/admin/nodes')).to.deep.equal([200, 200]);
      person.permissions = [];
      await changed(person);
      expect(await statuses(key, '/api/v1/admin/nodes')).to.deep.equal([403, 403]);
      world.keys.delete(key);
      await changed(person);
      expect(await statuses(key)).to.deep.equal([401, 401]);
    });

    it('holds for everybody when a role changed', async () => {
      const person = world.person(['nodes.view']);
      const { token } = signIn(world, person);
      expect(await statuses(token, '/api/v1/admin/nodes')).to.deep.equal([200, 200]);
      person.permissions = [];
      await changed('all');
      expect(await statuses(token, '/api/v1/admin/nodes')).to.deep.equal([403, 403]);
    });

    it('holds when a change comes while identity is being asked', async () => {
      const person = world.person();
      const { token, sessionId } = signIn(world, person);
      const [url = ''] = urls;
      const asked = send(url, '/api/v1/account', { token });
      await waitUntil('the question', () => world.count('authenticate') === 1);
      world.sessions.delete(sessionId);
      await changed(person);
      await asked;
      expect((await send(url, '/api/v1/account', { token })).status).to.equal(401);
    });

    it('forgets everything when Redis has forgotten everything', async () => {
      const person = world.person();
      const { token, sessionId } = signIn(world, person);
      await statuses(token);
      world.sessions.delete(sessionId);
      await redis.del(`${redisPrefix}:auth:instance`, `${redisPrefix}:auth:epoch:${person.userId}`);
      expect(await statuses(token)).to.deep.equal([401, 401]);
    });

    it('does not count on identity while nothing changed, and answers 503 where it must ask', async () => {
      const [known, unknown] = [signIn(world, world.person()), signIn(world, world.person())];
      await statuses(known.token);
      world.failing.set('authenticate', new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away'));
      expect(await statuses(known.token)).to.deep.equal([200, 200]);
      expect(await statuses(unknown.token)).to.deep.equal([503, 503]);
    });

    it('closes open sockets at every gateway within 5 s', async () => {
      const person = world.person();
      const { token, sessionId } = signIn(world, person);
      const server = world.addServer(person);
      const sockets = await Promise.all(urls.map(async (url) => openSocket(url, server.id, token).open()));
      world.sessions.delete(sessionId);
      await changed(person);
      expect(await Promise.all(sockets.map(async (socket) => socket.closed(5_000)))).to.deep.equal([4401, 4401]);
    });
  });

  describe('without Redis', () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await gatewayFor(world);
    });
    after(async () => gateway.running.stop());

    it('asks identity on every request', async () => {
      const { token, sessionId } = signIn(world, world.person());
      for (let i = 0; i < 3; i++) expect((await send(gateway.url, '/api/v1/account', { token })).status).to.equal(200);
      expect(world.count('authenticate')).to.equal(3);
      world.sessions.delete(sessionId);
      expect((await send(gateway.url, '/api/v1/account', { token })).status).to.equal(401);
    });
  });

  describe('while Redis is away', () => {
    const redisPrefix = 'test';
    let directory: string;
    let redis: ChildProcess;
    let port: number;
    let gateway: TestGateway;

    const startRedis = async () => {
      redis = spawn('redis-server', ['--port', `${port}`, '--save', '', '--dir', directory], { stdio: 'ignore' });
      const probe = new Redis({ port, lazyConnect: true, retryStrategy: () => 20, maxRetriesPerRequest: null });
      probe.on('error', () => undefined);
      await probe.connect().catch(() => undefined);
      await waitUntil('Redis', async () => probe.ping());
      probe.disconnect();
    };

    before(async function () {
      if ((await testRedisUrl()) === null) {
        this.skip();
        return;
      }
      directory = mkdtempSync(path.join(tmpdir(), 'gateway-redis-'));
      port = await freePort();
      await startRedis();
      const rateLimits = { general: 60, auth: 60, console: 60, upload: 60, backup: 60 };
      gateway = await gatewayFor(world, {
        redisUrl: `redis://127.0.0.1:${port}`,
        redisPrefix,
        rateLimits,
        replicas: 3,
      });
    });
    after(async () => {
      redis?.kill('SIGKILL');
      await gateway?.running.stop();
      if (directory) rmSync(directory, { recursive: true, force: true });
    });

    it('gives its part of the limits, keeps nothing, and goes back when Redis is back', async () => {
      const person = world.person();
      const first = signIn(world, person);
      const ask = async (token: string) => send(gateway.url, '/api/v1/account', { token });
      await waitUntil('answers from memory', async () => {
        world.calls.length = 0;
        return (await ask(first.token)).status === 200 && world.count('authenticate') === 0;
      });
      redis.kill('SIGKILL');
      await once(redis, 'exit');

      world.sessions.delete(first.sessionId);
      expect((await ask(first.token)).status).to.equal(401);
      const { token } = signIn(world, world.person());
      const answers = await Promise.all(Array.from({ length: 25 }, async () => ask(token)));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(20);
      expect(answers[0]?.headers['x-ratelimit-limit']).to.equal('20');

      await startRedis();
      await waitUntil('the whole limit', async () => {
        const { token: fresh } = signIn(world, world.person());
        return (await ask(fresh)).headers['x-ratelimit-limit'] === '60';
      });
    });

    it('answers in time while Redis hangs', async () => {
      redis.kill('SIGSTOP');
      try {
        const { token } = signIn(world, world.person());
        const begin = performance.now();
        const answers = await Promise.all(
          Array.from({ length: 10 }, async () => send(gateway.url, '/api/v1/account', { token })),
        );
        expect(answers.every(({ status }) => status === 200)).to.equal(true);
        expect(performance.now() - begin).to.be.lessThan(2_000);
      } finally {
        redis.kill('SIGCONT');
      }
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
