import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '@panel/kit/errors';
import { quickestMs, waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { openSocket } from '../support/sockets.js';
import { type TestUser, Fixture } from '../support/fixture.js';

describe('revocation', () => {
  const fixture = new Fixture();
  before(async () => fixture.start());
  after(async () => fixture.stop());
  beforeEach(() => {
    fixture.calls.length = 0;
    fixture.failing.clear();
  });

  describe('with two gateways on one Redis', () => {
    let redis: Redis;
    let gateways: TestGateway[];
    let urls: string[];
    const redisPrefix = `test-revocation-${process.pid}`;

    /** Identity's bump. */
    const changed = async (who: TestUser | 'all') =>
      redis.set(`${redisPrefix}:auth:epoch:${who === 'all' ? 'all' : who.userId}`, `${Math.random()}`);

    before(async function () {
      const redisUrl = await testRedisUrl();
      if (redisUrl === null) {
        this.skip();
        return;
      }
      redis = new Redis(redisUrl);
      gateways = await Promise.all([1, 2].map(async () => gatewayFor(fixture, { redisUrl, redisPrefix })));
      urls = gateways.map(({ url }) => url);
    });
    after(async () => {
      await Promise.all((gateways ?? []).map(async ({ running }) => running.stop()));
      redis?.disconnect();
    });

    const statuses = async (token: string, at = '/api/v1/account') =>
      Promise.all(urls.map(async (url) => (await send(url, at, { token })).status));

    it('asks identity once and then uses its cache', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      for (let i = 0; i < 5; i++) expect(await statuses(token)).to.deep.equal([200, 200]);
      expect(fixture.count('authenticate')).to.equal(2);
    });

    it('applies to sessions on the next request at every gateway', async () => {
      const user = fixture.createUser();
      const [one, other] = [signIn(fixture, user), signIn(fixture, user)];
      await statuses(one.token);
      await statuses(other.token);
      fixture.sessions.delete(one.sessionId);
      await changed(user);
      expect(await statuses(one.token)).to.deep.equal([401, 401]);
      expect(await statuses(other.token)).to.deep.equal([200, 200]);
    });

    it('applies to API keys and their permissions on the next request at every gateway', async () => {
      const user = fixture.createUser(['*']);
      const key = giveKey(fixture, user);
      for (let i = 0; i < 3; i++) expect(await statuses(key, '/api/v1/admin/nodes')).to.deep.equal([200, 200]);
      user.permissions = [];
      await changed(user);
      expect(await statuses(key, '/api/v1/admin/nodes')).to.deep.equal([403, 403]);
      fixture.keys.delete(key);
      await changed(user);
      expect(await statuses(key)).to.deep.equal([401, 401]);
    });

    it('applies to all users of a changed role', async () => {
      const user = fixture.createUser(['nodes.view']);
      const { token } = signIn(fixture, user);
      expect(await statuses(token, '/api/v1/admin/nodes')).to.deep.equal([200, 200]);
      user.permissions = [];
      await changed('all');
      expect(await statuses(token, '/api/v1/admin/nodes')).to.deep.equal([403, 403]);
    });

    it('applies when a change arrives during a call to identity', async () => {
      const user = fixture.createUser();
      const { token, sessionId } = signIn(fixture, user);
      const [url = ''] = urls;
      const asked = send(url, '/api/v1/account', { token });
      await waitUntil('the question', () => fixture.count('authenticate') === 1);
      fixture.sessions.delete(sessionId);
      await changed(user);
      await asked;
      expect((await send(url, '/api/v1/account', { token })).status).to.equal(401);
    });

    it('drops its cache after Redis lost its data', async () => {
      const user = fixture.createUser();
      const { token, sessionId } = signIn(fixture, user);
      await statuses(token);
      fixture.sessions.delete(sessionId);
      await redis.del(`${redisPrefix}:auth:instance`, `${redisPrefix}:auth:epoch:${user.userId}`);
      expect(await statuses(token)).to.deep.equal([401, 401]);
    });

    it('works without identity while nothing changed, and answers 503 where it must ask', async () => {
      const [known, unknown] = [signIn(fixture, fixture.createUser()), signIn(fixture, fixture.createUser())];
      await statuses(known.token);
      fixture.failing.set('authenticate', new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away'));
      expect(await statuses(known.token)).to.deep.equal([200, 200]);
      expect(await statuses(unknown.token)).to.deep.equal([503, 503]);
    });

    it('closes open sockets at every gateway within 5 s', async () => {
      const user = fixture.createUser();
      const { token, sessionId } = signIn(fixture, user);
      const server = fixture.addServer(user);
      const sockets = await Promise.all(urls.map(async (url) => openSocket(url, server.id, token).open()));
      fixture.sessions.delete(sessionId);
      await changed(user);
      expect(await Promise.all(sockets.map(async (socket) => socket.closed(5_000)))).to.deep.equal([4401, 4401]);
    });
  });

  describe('without Redis', () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await gatewayFor(fixture);
    });
    after(async () => gateway.running.stop());

    it('asks identity for every request', async () => {
      const { token, sessionId } = signIn(fixture, fixture.createUser());
      for (let i = 0; i < 3; i++) expect((await send(gateway.url, '/api/v1/account', { token })).status).to.equal(200);
      expect(fixture.count('authenticate')).to.equal(3);
      fixture.sessions.delete(sessionId);
      expect((await send(gateway.url, '/api/v1/account', { token })).status).to.equal(401);
    });
  });

  describe('while Redis is unavailable', () => {
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
      const rateLimits = { general: 60, auth: 60, upload: 60, backup: 60 };
      gateway = await gatewayFor(fixture, {
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

    it('divides the limits, caches nothing and returns to Redis when it is back', async () => {
      const user = fixture.createUser();
      const first = signIn(fixture, user);
      const ask = async (token: string) => send(gateway.url, '/api/v1/account', { token });
      await waitUntil('answers from memory', async () => {
        fixture.calls.length = 0;
        return (await ask(first.token)).status === 200 && fixture.count('authenticate') === 0;
      });
      redis.kill('SIGKILL');
      await once(redis, 'exit');

      fixture.sessions.delete(first.sessionId);
      expect((await ask(first.token)).status).to.equal(401);
      const { token } = signIn(fixture, fixture.createUser());
      const answers = await Promise.all(Array.from({ length: 25 }, async () => ask(token)));
      expect(answers.filter(({ status }) => status === 200)).to.have.length(20);
      expect(answers[0]?.headers['x-ratelimit-limit']).to.equal('20');

      await startRedis();
      await waitUntil('the whole limit', async () => {
        const { token: fresh } = signIn(fixture, fixture.createUser());
        return (await ask(fresh)).headers['x-ratelimit-limit'] === '60';
      });
    });

    it('answers within the deadline while Redis hangs', async () => {
      redis.kill('SIGSTOP');
      try {
        const askTen = async () => {
          const { token } = signIn(fixture, fixture.createUser());
          const asked = Array.from({ length: 10 }, async () => send(gateway.url, '/api/v1/account', { token }));
          expect((await Promise.all(asked)).every(({ status }) => status === 200)).to.equal(true);
        };
        expect(await quickestMs(askTen, 3)).to.be.lessThan(2_000);
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
