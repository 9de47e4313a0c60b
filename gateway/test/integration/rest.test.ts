import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '@panel/kit/errors';
import { accessToken, gatewayFor, giveKey, signIn, type TestGateway } from '../support/gateway.js';
import { send } from '../support/request.js';
import { Fixture } from '../support/fixture.js';

describe('REST requests', () => {
  const fixture = new Fixture();
  let gateway: TestGateway;

  before(async () => {
    await fixture.start();
    gateway = await gatewayFor(fixture);
  });
  after(async () => {
    await gateway.running.stop();
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.calls.length = 0;
    fixture.failing.clear();
  });

  describe('sign-in', () => {
    it('returns a token set for the right password', async () => {
      const { status, body } = await send(gateway.url, '/api/v1/auth/login', {
        json: { email: 'a@example.com', password: 'right' },
      });
      expect(status).to.equal(200);
      expect(body.data).to.deep.equal({
        access_token: 'a',
        refresh_token: 'r',
        token_type: 'Bearer',
        expires_in: 900,
      });
    });

    it('returns a challenge for a user with a second factor', async () => {
      const { body } = await send(gateway.url, '/api/v1/auth/login', {
        json: { email: '2fa@example.com', password: 'right' },
      });
      expect(body.data).to.deep.equal({ requires_2fa: true, token: 'challenge-token' });
    });

    it('returns one body for a wrong password, a bad token and no token', async () => {
      const wrong = await send(gateway.url, '/api/v1/auth/login', { json: { email: 'a@b.c', password: 'x' } });
      const bad = await send(gateway.url, '/api/v1/account', { token: 'nonsense' });
      const none = await send(gateway.url, '/api/v1/account');
      for (const answer of [wrong, bad, none]) {
        expect(answer.status).to.equal(401);
        expect(answer.text).to.equal(none.text);
        expect(answer.headers['www-authenticate']).to.equal('Bearer');
      }
    });

    it('ends the session at logout', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      expect((await send(gateway.url, '/api/v1/auth/logout', { method: 'POST', token })).status).to.equal(204);
      expect((await send(gateway.url, '/api/v1/account', { token })).status).to.equal(401);
    });
  });

  describe('credentials', () => {
    it('accepts the scheme of credentials in any case', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const answer = await send(gateway.url, '/api/v1/account', { headers: { authorization: `bEARER ${token}` } });
      expect(answer.status).to.equal(200);
    });

    it('refuses credentials in headers without a bearer token', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      for (const authorization of ['Bearer', 'Bearer ', `Bearer  ${token}  x`, `Basic ${token}`, 'x'.repeat(8000)]) {
        const { status } = await send(gateway.url, '/api/v1/account', { headers: { authorization } });
        expect(status, authorization.slice(0, 20)).to.equal(401);
      }
    });

    it('refuses a token for another purpose, an expired one and one without a session', async () => {
      const user = fixture.createUser();
      const { sessionId } = signIn(fixture, user);
      for (const token of [
        accessToken(user.userId, sessionId, 900, { typ: 'refresh' }),
        accessToken(user.userId, sessionId, 900, { aud: 'panel-refresh' }),
        accessToken(user.userId, sessionId, -1),
        accessToken(user.userId, randomUUID()),
        accessToken(fixture.createUser().userId, sessionId),
      ]) {
        expect((await send(gateway.url, '/api/v1/account', { token })).status).to.equal(401);
      }
    });

    it('accepts an API key from its addresses only', async () => {
      const user = fixture.createUser();
      expect((await send(gateway.url, '/api/v1/account', { token: giveKey(fixture, user) })).status).to.equal(200);
      const elsewhere = giveKey(fixture, user, ['198.51.100.7']);
      const { status, body } = await send(gateway.url, '/api/v1/account', { token: elsewhere });
      expect(status).to.equal(403);
      expect(body.error?.code).to.equal('forbidden');
    });

    it('answers with 503 while identity is unavailable', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      fixture.failing.set('authenticate', new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'secret host 10.0.0.1'));
      const answer = await send(gateway.url, '/api/v1/account', { token });
      expect(answer.status).to.equal(503);
      expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0);
      expect(answer.text).not.to.contain('10.0.0.1');
    });
  });

  describe('user who must set up a second factor', () => {
    it('lets a user without the required second factor only set it up, read the own account and sign out', async () => {
      const user = { ...fixture.createUser(['*']), mustSetUpTwoFactor: true };
      const server = fixture.addServer(user);
      const { token } = signIn(fixture, user);
      const statusOf = async (method: string, path: string, json?: object) =>
        (await send(gateway.url, `/api/v1${path}`, { token, method, json })).status;
      expect(await statusOf('GET', '/account')).to.equal(200);
      expect(await statusOf('POST', '/account/2fa', { password: 'x' })).to.equal(200);
      for (const [method, path] of [
        ['GET', '/admin/nodes'],
        ['GET', `/servers/${server.id}`],
        ['GET', '/account/api-keys'],
        ['PUT', '/account/password'],
        ['DELETE', '/account/2fa'],
      ] as const) {
        expect(await statusOf(method, path), path).to.equal(403);
      }
      const { body } = await send(gateway.url, '/api/v1/servers', { token });
      expect(body.error?.details).to.deep.equal({ reason: 'two_factor_required' });
      expect(await statusOf('POST', '/auth/logout')).to.equal(204);
    });
  });

  describe('authorisation', () => {
    it('answers one 403 to everybody without the permission, whatever the id and the body', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const answers = [
        await send(gateway.url, `/api/v1/admin/nodes/${randomUUID()}`, { token }),
        await send(gateway.url, '/api/v1/admin/nodes/not-an-id', { token }),
        await send(gateway.url, '/api/v1/admin/nodes', { token, method: 'POST' }),
        await send(gateway.url, '/api/v1/admin/nodes', { token, json: { wrong: true } }),
        await send(gateway.url, '/api/v1/admin/nodes', { token, body: '{', headers: { 'content-type': 'text/html' } }),
        await send(gateway.url, '/api/v1/admin/servers?per_page=-1', { token }),
      ];
      for (const { status, text } of answers) {
        expect(status).to.equal(403);
        expect(text).to.equal(answers[0]?.text);
      }
      expect(fixture.calls.filter((call) => call !== 'authenticate')).to.deep.equal([]);
    });

    it('repeats its answer until the answer of the service changes', async () => {
      const owner = fixture.createUser();
      const server = fixture.addServer(owner);
      const { token } = signIn(fixture, owner);
      for (const path of [`/api/v1/servers/${server.id}`, '/api/v1/servers']) {
        server.name = 'as it was';
        const ask = async () => send(gateway.url, path, { token });
        const answers = [await ask(), await ask(), await ask()];
        for (const { text, headers } of answers) {
          expect(text).to.equal(answers[0]?.text);
          expect(headers['content-type']).to.equal('application/json; charset=utf-8');
          expect(JSON.parse(text)).to.have.property('data');
        }
        server.name = 'as it is';
        expect((await ask()).text).to.equal(answers[0]?.text.replace('as it was', 'as it is'));
      }
    });

    it('receives the items of a list again only after a change, for each of two users with equal pages', async () => {
      const [first, second] = [fixture.createUser(), fixture.createUser(['servers.view'])];
      const items = (text: string) => (JSON.parse(text) as { data: { name: string }[] }).data.map(({ name }) => name);
      for (const [user, path] of [
        [first, '/api/v1/servers'],
        [second, '/api/v1/servers'],
        [second, '/api/v1/admin/servers'],
      ] as const) {
        const server = fixture.addServer(user, { name: 'as it was' });
        const { token } = signIn(fixture, user);
        const ask = async () => send(gateway.url, path, { token });
        const reused = () => fixture.count('listServers, same page');
        const before = reused();
        const plain = await ask();
        expect([items(plain.text), reused()]).to.deep.equal([['as it was'], before]);
        expect((await ask()).text).to.equal(plain.text);
        expect(reused()).to.equal(before + 1);
        server.name = 'as it is';
        expect(items((await ask()).text)).to.deep.equal(['as it is']);
        fixture.servers.delete(server.id);
        expect(items((await ask()).text)).to.deep.equal([]);
        expect(reused()).to.equal(before + 1);
      }
    });

    it("answers for another user's server as for an unknown one", async () => {
      const server = fixture.addServer(fixture.createUser());
      const { token } = signIn(fixture, fixture.createUser());
      const strange = await send(gateway.url, `/api/v1/servers/${server.id}`, { token });
      const random = await send(gateway.url, `/api/v1/servers/${randomUUID()}`, { token });
      const malformed = await send(gateway.url, '/api/v1/servers/1', { token });
      expect(strange.status).to.equal(404);
      expect(random.text).to.equal(strange.text);
      expect(malformed.text).to.equal(strange.text);
      expect(strange.body.error?.details).to.deep.equal({});
    });

    it('checks access to the server before the body', async () => {
      const server = fixture.addServer(fixture.createUser());
      const { token } = signIn(fixture, fixture.createUser());
      const path = `/api/v1/servers/${server.id}/power`;
      expect((await send(gateway.url, path, { token, json: { action: 'explode' } })).status).to.equal(404);
    });

    it('answers 403 where the server is visible and the permission is missing', async () => {
      const owner = fixture.createUser();
      const server = fixture.addServer(owner);
      const subuser = fixture.createUser();
      fixture.rights.set(`${subuser.userId} ${server.id}`, ['file.read']);
      const { token } = signIn(fixture, subuser);
      const answer = await send(gateway.url, `/api/v1/servers/${server.id}/command`, { token, json: { command: 'x' } });
      expect(answer.status).to.equal(403);
      expect(fixture.commands.filter(({ serverId }) => serverId === server.id)).to.deep.equal([]);
    });
  });

  describe('request bodies', () => {
    const login = '/api/v1/auth/login';
    const good = JSON.stringify({ email: 'a@example.com', password: 'right' });

    it('refuses bodies that are not JSON', async () => {
      const json = { 'content-type': 'application/json' };
      for (const [body, headers] of [
        ['{', json],
        ['[]', json],
        ['null', json],
        ['"text"', json],
        [good, { 'content-type': 'text/plain' }],
        [good, { 'content-type': 'application/x-www-form-urlencoded' }],
        [good, {}],
        [good, { 'content-type': 'application/json; charset=utf-16' }],
        [good, { ...json, 'content-encoding': 'gzip' }],
        [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json],
        ['{"email":"a","email":"b"}', json],
        ['{"__proto__":{"admin":true}}', json],
        ['{"a":{"constructor":1}}', json],
        [`{"a":${'['.repeat(100_000)}`, json],
        ['['.repeat(1024 * 1024), json],
        [`{${Array.from({ length: 1001 }, (_, i) => `"k${i}":1`).join(',')}}`, json],
      ] as const) {
        const answer = await send(gateway.url, login, {
          body: body as string,
          headers,
        });
        expect(answer.status, String(body).slice(0, 40)).to.equal(400);
        expect(answer.body.error?.code).to.equal('bad_request');
      }
      expect(fixture.count('login')).to.equal(0);
    });

    it('refuses bodies above 1 MiB, declared or not', async () => {
      const large = JSON.stringify({ email: 'a', password: 'x'.repeat(1024 * 1024) });
      const headers = { 'content-type': 'application/json' };
      expect((await send(gateway.url, login, { body: large, headers })).status).to.equal(400);
    });

    it('refuses bodies with the names of unknown, missing and wrong fields', async () => {
      const { status, body } = await send(gateway.url, login, { json: { email: { $gt: '' }, extra: 1 } });
      expect(status).to.equal(422);
      expect(body.error?.code).to.equal('validation_error');
      expect(body.error?.details).to.deep.equal({
        email: ['must be a string'],
        password: ['is required'],
        extra: ['is not a known field'],
      });
    });

    it('validates bodies and list parameters by name', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      for (const [query, name] of [
        ['per_page=101', 'per_page'],
        ['per_page=0', 'per_page'],
        ['per_page=', 'per_page'],
        ['per_page=2.5', 'per_page'],
        ['page=-1', 'page'],
        ['page=9007199254740993', 'page'],
        ['page=1&page=2', 'page'],
        ['sort=password', 'sort'],
        ['status=flying', 'status'],
        ['foo=bar', 'foo'],
        [`search=${'x'.repeat(101)}`, 'search'],
      ]) {
        const { status, body } = await send(gateway.url, `/api/v1/servers?${query}`, { token });
        expect(status, query).to.equal(422);
        expect(Object.keys(body.error?.details ?? {}), query).to.deep.equal([name]);
      }
      const fine = await send(gateway.url, '/api/v1/servers?page=900000&sort=-name,created_at', { token });
      expect(fine.status).to.equal(200);
      expect(fine.body.meta).to.deep.equal({ current_page: 900_000, per_page: 25, total: 0, total_pages: 0 });
    });
  });

  describe('paths', () => {
    it('answers 404 for every path that is not exactly a route', async () => {
      const { token } = signIn(fixture, fixture.createUser(['*']));
      for (const path of [
        '/',
        '/metrics',
        '/api/v2/servers',
        '/api/v1/ADMIN/users',
        '/api/v1//admin/users',
        '/api/v1/admin/users/',
        '/api/v1/servers/../admin/users',
        '/api/v1/servers/%2e%2e/admin/users',
        '/api/v1/admin%2fusers',
        '/api/v1/admin/users;x=y',
        '/api/v1/admin/users%20',
        '/api/v1/servers/%zz',
      ]) {
        const { status, body } = await send(gateway.url, path, { token });
        expect(status, path).to.equal(404);
        expect(body.error?.code).to.equal('not_found');
      }
    });

    it('refuses parameters on a route that has none, after authorisation', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const { status, body } = await send(gateway.url, '/api/v1/account?verbose=1', { token });
      expect([status, body.error?.details]).to.deep.equal([422, { verbose: ['is not a known parameter'] }]);
      expect((await send(gateway.url, '/api/v1/account?verbose=1')).status).to.equal(401);
      expect((await send(gateway.url, '/api/v1/admin/users?verbose=1', { token })).status).to.equal(403);
    });

    it('returns the allowed methods of a known path in Allow, and none for an unknown path', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const allowOf = async (path: string, method: string) =>
        (await send(gateway.url, path, { token, method })).headers['allow'];
      expect(await allowOf('/api/v1/account', 'DELETE')).to.equal('GET, HEAD, PUT');
      expect(await allowOf('/api/v1/auth/login', 'GET')).to.equal('POST');
      expect(await allowOf('/api/v1/nothing', 'GET')).to.equal(undefined);
      expect(await allowOf('/api/v1/account', 'GET')).to.equal(undefined);
    });

    it('answers 404 for methods a path does not have', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      for (const method of ['PATCH', 'DELETE', 'TRACE', 'OPTIONS', 'PROPFIND']) {
        expect((await send(gateway.url, '/api/v1/account/sessions', { token, method })).status, method).to.equal(404);
      }
    });

    it('answers HEAD like GET without the body', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const { status, text, headers } = await send(gateway.url, '/api/v1/account', { token, method: 'HEAD' });
      expect(status).to.equal(200);
      expect(text).to.equal('');
      expect(Number(headers['content-length'])).to.be.greaterThan(10);
    });
  });

  describe('every response', () => {
    it('sends rate, id and security headers with every response', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const preflight = { origin: 'https://panel.example.com', 'access-control-request-method': 'GET' };
      const answers = [
        await send(gateway.url, '/api/v1/account', { token }),
        await send(gateway.url, '/api/v1/account'),
        await send(gateway.url, '/nowhere'),
        await send(gateway.url, '/api/v1/auth/login', { json: {} }),
        await send(gateway.url, '/api/v1/auth/login', { body: '{' }),
        await send(gateway.url, '/api/v1/account', { method: 'OPTIONS', headers: preflight }),
        await send(gateway.url, '/api/v1/account', { method: 'PROPFIND' }),
        await send(gateway.url, '/api/v1/account', { headers: { 'x-large': 'x'.repeat(20_000) } }),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 401, 404, 422, 400, 204, 404, 400]);
      for (const { status, headers } of answers) {
        for (const name of ['limit', 'remaining', 'reset']) {
          expect(Number(headers[`x-ratelimit-${name}`]), `${status} ${name}`).to.be.at.least(0);
        }
        expect(headers['retry-after'], `${status}`).to.equal('0');
        expect(headers['cache-control']).to.equal('no-store');
        expect(headers['x-content-type-options']).to.equal('nosniff');
        expect(headers['content-security-policy']).to.contain("default-src 'none'");
        expect(headers['strict-transport-security']).to.contain('max-age');
      }
      for (const { headers } of answers.slice(0, 7)) expect(headers['x-request-id']).to.have.length.greaterThan(7);
    });

    it('hides the text of an internal failure', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      fixture.failing.set('getAccount', new AppError('internal', 'INTERNAL', 'E11000 duplicate key at mongo-7'));
      const { status, text } = await send(gateway.url, '/api/v1/account', { token });
      expect(status).to.equal(500);
      expect(text).not.to.contain('mongo');
    });
  });

  describe('cross-origin requests', () => {
    it('allows cross-origin requests of listed origins only', async () => {
      const { token } = signIn(fixture, fixture.createUser());
      const listed = await send(gateway.url, '/api/v1/account', {
        token,
        headers: { origin: 'https://panel.example.com' },
      });
      expect(listed.headers['access-control-allow-origin']).to.equal('https://panel.example.com');
      const evil = await send(gateway.url, '/api/v1/account', { token, headers: { origin: 'https://evil.example' } });
      expect(evil.headers['access-control-allow-origin']).to.equal(undefined);
      expect(evil.headers['vary']).to.contain('Origin');
    });
  });
});
