import { randomBytes } from 'node:crypto';
import { Server_Status } from '@panel/protos/servers';
import { rateLimited } from '@panel/kit/errors';
import { expect } from 'chai';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send, type TestResponse } from '../support/request.js';
import { openSocket } from '../support/sockets.js';
import { Fixture } from '../support/fixture.js';

const rateLimits = { general: 60, auth: 10, upload: 10, backup: 5 };

describe('rate limits', () => {
  const fixture = new Fixture();
  let redisUrl: string | null;

  before(async () => {
    await fixture.start();
    redisUrl = await testRedisUrl();
  });
  after(async () => fixture.stop());

  for (const store of ['process', 'redis'] as const) {
    describe(`counted in the ${store}`, () => {
      const gateways: TestGateway[] = [];
      let redisPrefix = '';

      const start = async () => {
        const gateway = await gatewayFor(fixture, {
          rateLimits,
          trustedProxies: ['127.0.0.1'],
          redisPrefix,
          redisUrl: store === 'redis' ? redisUrl : null,
        });
        gateways.push(gateway);
        return gateway.url;
      };

      beforeEach(function () {
        if (store === 'redis' && redisUrl === null) this.skip();
        redisPrefix = `test-${randomBytes(6).toString('hex')}`;
      });
      afterEach(async () => {
        await Promise.all(gateways.splice(0).map(async ({ running }) => running.stop()));
      });

      it('accepts exactly the limit of 50 concurrent requests', async () => {
        const url = await start();
        const { token } = signIn(fixture, fixture.createUser());
        const before = await Promise.all(
          Array.from({ length: 40 }, async () => send(url, '/api/v1/account', { token })),
        );
        expect(before.every(({ status }) => status === 200)).to.equal(true);
        const answers = await Promise.all(
          Array.from({ length: 50 }, async () => send(url, '/api/v1/account', { token })),
        );
        expect(countOf(answers, 200)).to.equal(20);
        expect(countOf(answers, 429)).to.equal(30);
        const remaining = [...before, ...answers]
          .filter(({ status }) => status === 200)
          .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
          .sort((a, b) => a - b);
        expect(remaining).to.deep.equal(Array.from({ length: 60 }, (_, i) => i));
      });

      it('returns the seconds to wait', async () => {
        const url = await start();
        const { token } = signIn(fixture, fixture.createUser());
        const answers = await Promise.all(
          Array.from({ length: 61 }, async () => send(url, '/api/v1/account', { token })),
        );
        const refused = answers.find(({ status }) => status === 429);
        const seconds = Number(refused?.headers['retry-after']);
        expect(seconds).to.be.within(1, 60);
        expect(refused?.body.error?.code).to.equal('rate_limit_exceeded');
        expect(refused?.body.error?.message).to.contain(`${seconds} seconds`);
        expect(refused?.body.error?.details).to.deep.equal({ limit: 'general', retry_after: seconds });
        expect(Number(refused?.headers['x-ratelimit-reset'])).to.be.within(Date.now() / 1000, Date.now() / 1000 + 61);
      });

      it('counts a user over all sessions and keys, multiplied by the role', async () => {
        const url = await start();
        const moderator = fixture.createUser([], 1.5);
        const tokens = [
          signIn(fixture, moderator).token,
          signIn(fixture, moderator).token,
          giveKey(fixture, moderator),
          giveKey(fixture, moderator),
        ];
        // The first request of a key resolves its owner.
        for (const token of tokens) await send(url, '/api/v1/account', { token });
        const answers = await Promise.all(
          Array.from({ length: 100 }, async (_, i) => send(url, '/api/v1/account', { token: tokens[i % 4] ?? '' })),
        );
        expect(countOf(answers, 200)).to.equal(86);
        expect(answers[0]?.headers['x-ratelimit-limit']).to.equal('90');
      });

      it('counts sign-in attempts per address, with IPv6 as a network', async () => {
        const url = await start();
        const attempt = async (from: string) =>
          send(url, '/api/v1/auth/login', { json: {}, headers: { 'x-forwarded-for': from } });
        for (let i = 0; i < 10; i++) expect((await attempt(`2001:db8:1:2:${i}::1`)).status).to.equal(422);
        expect((await attempt('2001:db8:1:2:ffff::1')).status).to.equal(429);
        expect((await attempt('2001:db8:1:3::1')).status).to.equal(422);
        expect((await attempt('198.51.100.1')).status).to.equal(422);
        // Values from the client stand further left and are ignored.
        for (let i = 0; i < 9; i++) await attempt(`10.0.0.${i}, 198.51.100.1`);
        expect((await attempt('10.9.9.9, 198.51.100.1')).status).to.equal(429);
      });

      it('counts every path of /auth but logout in one bucket of an address', async () => {
        const url = await start();
        const post = async (path: string) => send(url, `/api/v1/auth/${path}`, { json: {} });
        const paths = ['login', 'refresh', '2fa/verify', 'password/forgot', 'password/reset'];
        for (const path of [...paths, ...paths]) expect((await post(path)).status, path).to.equal(422);
        for (const path of paths) {
          const { status, headers, body } = await post(path);
          expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).to.deep.equal([
            429,
            '10',
            '0',
          ]);
          expect(body.error?.details).to.include({ limit: 'auth' });
        }
        const { token } = signIn(fixture, fixture.createUser());
        expect((await send(url, '/api/v1/auth/logout', { method: 'POST', token })).status).not.to.equal(429);
      });

      it('shows what a service has found exhausted, not what is left of the request limit', async () => {
        const url = await start();
        const { token } = signIn(fixture, fixture.createUser());
        const exhausted = { name: 'current_passwords', max: 20, remainingMs: 600_000 };
        fixture.failing.set('createApiKey', rateLimited('too many attempts', exhausted));
        const { status, headers, body } = await send(url, '/api/v1/account/api-keys', {
          token,
          json: { description: 'x' },
        });
        fixture.failing.delete('createApiKey');
        expect([status, headers['retry-after']]).to.deep.equal([429, '600']);
        expect(body.error?.details).to.deep.equal({ limit: 'current_passwords', retry_after: 600 });
        expect(headers).to.include({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0' });
        expect(Number(headers['x-ratelimit-reset']) - Date.now() / 1000).to.be.within(598, 601);
      });

      it('limits guesses of tokens per address', async () => {
        const url = await start();
        const answers = await Promise.all(
          Array.from({ length: 70 }, async (_, i) =>
            send(url, '/api/v1/account', { token: `gsp_${`${i}`.padStart(43, 'a')}` }),
          ),
        );
        expect(countOf(answers, 401)).to.equal(60);
        expect(countOf(answers, 429)).to.equal(10);
      });

      it('decrements by one for every status', async () => {
        const url = await start();
        const user = fixture.createUser();
        const { token } = signIn(fixture, user);
        const server = fixture.addServer(user);
        const requests: [string, object][] = [
          ['/api/v1/account', {}],
          ['/api/v1/nowhere', {}],
          ['/api/v1/admin/nodes', {}],
          [`/api/v1/servers/${server.id}/power`, { json: {} }],
          [`/api/v1/servers/${server.id}/power`, { body: '{' }],
          [`/api/v1/servers/${server.id}/backups`, {}],
          ['/api/v1/servers?page=x', {}],
          ['/api/v1/account', { method: 'PATCH' }],
        ];
        const seen: number[] = [];
        for (const [path, options] of requests) {
          const { headers } = await send(url, path, { token, ...options });
          seen.push(Number(headers['x-ratelimit-remaining']));
        }
        expect(seen).to.deep.equal(requests.map((_, i) => 59 - i));
      });

      it('does not count pre-flight requests', async () => {
        const url = await start();
        const headers = { origin: 'https://panel.example.com', 'access-control-request-method': 'POST' };
        for (let i = 0; i < 3; i++) {
          const answer = await send(url, '/api/v1/servers', { method: 'OPTIONS', headers });
          expect([answer.status, answer.headers['x-ratelimit-remaining']]).to.deep.equal([204, '60']);
        }
      });

      it('counts commands per server over requests and sockets of all users', async () => {
        fixture.commandLimit = 30;
        const url = await start();
        const [owner, subuser] = [fixture.createUser(), fixture.createUser()];
        const server = fixture.addServer(owner);
        fixture.rights.set(`${subuser.userId} ${server.id}`, ['websocket.connect', 'control.console']);
        const tokens = [signIn(fixture, owner).token, signIn(fixture, subuser).token];
        const command = async (token: string) =>
          send(url, `/api/v1/servers/${server.id}/command`, { token, json: { command: 'say' } });
        const sockets = await Promise.all(tokens.map(async (token) => openSocket(url, server.id, token).open()));
        for (let i = 0; i < 10; i++) for (const socket of sockets) socket.send({ type: 'command', command: 'say' });
        await waitUntil(
          'the commands',
          () => fixture.commands.filter(({ serverId }) => serverId === server.id).length === 20,
        );
        const answers = await Promise.all(Array.from({ length: 12 }, async (_, i) => command(tokens[i % 2] ?? '')));
        expect([countOf(answers, 200), countOf(answers, 429)]).to.deep.equal([10, 2]);
        sockets[0]?.send({ type: 'command', command: 'say' });
        await sockets[0]?.until('an error', () => sockets[0]?.of('error').length === 1);
        expect(sockets[0]?.of('error')[0]).to.include({ code: 'rate_limit_exceeded' });
        for (const socket of sockets) socket.socket.terminate();
      });

      it('sends a command in one call and shows the quota of its answer or refusal', async () => {
        fixture.commandLimit = 2;
        const url = await start();
        const owner = fixture.createUser();
        const { token } = signIn(fixture, owner);
        const offline = fixture.addServer(owner, { status: Server_Status.OFFLINE });
        const sent = async (serverId: string) => {
          const calls = fixture.calls.length;
          const { status, headers, body } = await send(url, `/api/v1/servers/${serverId}/command`, {
            token,
            json: { command: 'say' },
          });
          const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = headers;
          const made = fixture.calls.slice(calls).filter((name) => !['authenticate', 'getSettings'].includes(name));
          expect(made).to.deep.equal(['sendCommand']);
          expect(Number(headers['x-ratelimit-reset']) - Date.now() / 1000).to.be.within(40, 44);
          return { status, limit, remaining, retryAfter: headers['retry-after'], error: body.error };
        };
        const running = fixture.addServer(owner);
        expect(await sent(running.id)).to.include({ status: 200, limit: '2', remaining: '1', retryAfter: '0' });
        expect(await sent(running.id)).to.include({ status: 200, limit: '2', remaining: '0', retryAfter: '0' });
        const refused = await sent(running.id);
        expect(refused).to.include({ status: 429, limit: '2', remaining: '0', retryAfter: '42' });
        expect(refused.error).to.deep.equal({
          code: 'rate_limit_exceeded',
          message: 'Too many requests: try again in 42 seconds.',
          details: { limit: 'console', retry_after: 42 },
        });
        const notRunning = await sent(offline.id);
        expect(notRunning).to.include({ status: 409, limit: '2', remaining: '1', retryAfter: '0' });
        expect(notRunning.error?.details).to.deep.equal({ reason: 'server_offline' });
      });

      it('does not count commands of users without access to the server', async () => {
        const url = await start();
        fixture.commandLimit = 30;
        const owner = fixture.createUser();
        const server = fixture.addServer(owner);
        const stranger = signIn(fixture, fixture.createUser()).token;
        const path = `/api/v1/servers/${server.id}/command`;
        const answers = await Promise.all(
          Array.from({ length: 40 }, async () => send(url, path, { token: stranger, json: { command: 'x' } })),
        );
        expect(countOf(answers, 404)).to.equal(40);
        const { status, headers } = await send(url, path, {
          token: signIn(fixture, owner).token,
          json: { command: 'x' },
        });
        expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).to.deep.equal([
          200,
          '30',
          '29',
        ]);
      });

      it('does not count requests of an ended session for its user', async () => {
        const url = await start();
        const user = fixture.createUser();
        const { token, sessionId } = signIn(fixture, user);
        fixture.sessions.delete(sessionId);
        for (let i = 0; i < 30; i++) expect((await send(url, '/api/v1/account', { token })).status).to.equal(401);
        const { headers } = await send(url, '/api/v1/account', { token: signIn(fixture, user).token });
        expect(Number(headers['x-ratelimit-remaining'])).to.be.at.least(58);
      });

      if (store === 'redis') {
        it('shares rate limits between two gateways', async () => {
          const urls = [await start(), await start()];
          const { token } = signIn(fixture, fixture.createUser());
          const answers = await Promise.all(
            Array.from({ length: 80 }, async (_, i) => send(urls[i % 2] ?? '', '/api/v1/account', { token })),
          );
          expect(countOf(answers, 200)).to.equal(60);
        });
      }
    });
  }
});

function countOf(answers: readonly TestResponse[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}
