import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { bootStack, type TestStack } from '../support/stack.js';
import { type Databases, openDatabases } from './support/database.js';
import { currentStep, password, TestUsers, type TestUser, totpCode } from './support/users.js';
import { type Answer, dataOf, exchange, openRaw, type RawConnection, send, type Sent } from './support/requests.js';

/* Bodies, request smuggling, CORS, headers, idempotency keys, logs and slow clients. */
const account = '/api/v1/account';
const login = '/api/v1/auth/login';

describe('HTTP edge of the gateway', function () {
  this.timeout(180_000);
  let test: TestStack;
  let base: string;
  let databases: Databases;
  let users: TestUsers;
  let person: TestUser;
  let slow: Record<string, RawConnection>;

  before(async () => {
    test = await bootStack({ CORS_ORIGINS: 'https://panel.example.com', TRUSTED_PROXIES: '127.0.0.1' });
    base = test.stack.baseUrl;
    databases = await openDatabases(test.stack);
    users = new TestUsers(base, test.admin.token() ?? '');
    person = await users.signUp();
    slow = openSlowOnes();
  });

  after(async () => {
    for (const connection of Object.values(slow ?? {})) connection.destroy();
    await databases?.close();
    await test?.stop();
  });

  /** Slow connections during all tests, checked at the end. */
  function openSlowOnes(): Record<string, RawConnection> {
    const starts: Record<string, string> = {
      nothing: '',
      'half a request line': 'GET /api',
      'headers by the byte': 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
      'a body that does not come': `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      'a body by the byte': `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      'chunks by the byte': `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    };
    const opened = Object.entries(starts).map(([name, bytes]) => {
      const connection = openRaw(base);
      connection.write(bytes);
      if (name.endsWith('by the byte')) dribble(connection, name.startsWith('chunks') ? '1\r\n \r\n' : ' ');
      return [name, connection] as const;
    });
    return Object.fromEntries(opened);
  }

  function dribble(connection: RawConnection, bytes: string): void {
    const timer = setInterval(() => connection.write(bytes), 1_000);
    void connection
      .ended(60_000)
      .catch(() => undefined)
      .finally(() => clearInterval(timer));
  }

  describe('request bodies', () => {
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
    const jsonType = { 'content-type': 'application/json' };
    const rows: readonly [name: string, body: () => string | Buffer, headers?: Record<string, string>][] = [
      ['100,000 levels deep', () => `{"email":${deep(100_000)}}`],
      ['1 MiB of [', () => '['.repeat(1024 * 1024 - 1)],
      ['one key of nearly 1 MiB', () => `{"${'k'.repeat(1024 * 1024 - 20)}":1}`],
      ['100,000 keys', () => keys(90_000)],
      ['over 1 MiB', () => `{"email":"${'x'.repeat(1024 * 1024)}"}`],
      ['16 MiB', () => Buffer.alloc(16 * 1024 * 1024, 32)],
      ['no object', () => '[]'],
      ['a number', () => '1'],
      ['half of one', () => '{"email":'],
      ['two of them', () => '{}{}'],
      ['a comment', () => '{/* */}'],
      ['bad UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
      ['UTF-16', () => Buffer.from('\ufeff{}', 'utf16le')],
      ['a key twice', () => '{"email":"a@example.com","email":"b@example.com","password":"x"}'],
      ['plain text', () => '{}', { 'content-type': 'text/plain' }],
      ['a form', () => 'email=a&password=b', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['multipart', () => '--x--', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['XML', () => '<a/>', { 'content-type': 'application/xml' }],
      ['no type', () => '{}', { 'content-type': '' }],
      ['another charset', () => '{}', { 'content-type': 'application/json; charset=utf-16' }],
      ['compressed', () => '{}', { ...jsonType, 'content-encoding': 'gzip' }],
    ];
    for (const [name, body, headers = jsonType] of rows) {
      it(`refuses a body that is ${name}`, async () => {
        const begin = performance.now();
        const [answer, meanwhile] = await Promise.all([
          outcome(send(base, login, { method: 'POST', body: body(), headers })),
          send(base, '/api/v1/nothing'),
        ]);
        expect(answer).to.be.oneOf([400, 'cut off']);
        expect(performance.now() - begin).to.be.below(15_000);
        expect(meanwhile.status).to.equal(404);
      });
    }

    /** A client refused while writing may see a reset. */
    async function outcome(answer: Promise<Answer>): Promise<number | string> {
      return answer.then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => (/ECONNRESET|EPIPE/.test(error.code ?? '') ? 'cut off' : error.message),
      );
    }

    it('ignores the body of GET and DELETE requests', async () => {
      const sent = { method: 'GET', body: '{"__proto__":{}}', headers: jsonType, token: person.token };
      expect((await send(base, account, sent)).status).to.equal(200);
    });
  });

  describe('request smuggling', () => {
    const inner = `GET ${account}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
    const head = `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const rows: readonly [name: string, bytes: string][] = [
      ['length and chunks', `${head}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
      ['chunks and length', `${head}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${inner}`],
      ['two lengths', `${head}Content-Length: 2\r\nContent-Length: ${2 + inner.length}\r\n\r\n{}${inner}`],
      ['a list of lengths', `${head}Content-Length: 2, 200\r\n\r\n{}${inner}`],
      ['a negative length', `${head}Content-Length: -1\r\n\r\n${inner}`],
      ['a length with a sign', `${head}Content-Length: +2\r\n\r\n{}${inner}`],
      ['a hexadecimal length', `${head}Content-Length: 0x2\r\n\r\n{}${inner}`],
      ['chunked, but not last', `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`],
      ['an unknown encoding', `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`],
      ['a blank before the colon', `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`],
      ['a folded header', `${head}Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${inner}`],
      ['a chunk that lies', `${head}Transfer-Encoding: chunked\r\n\r\n2;x\n\r\n{}\r\n0\r\n\r\n${inner}`],
      ['a bare line feed', `POST ${login} HTTP/1.1\nHost: x\nContent-Length: 0\n\n${inner}`],
      [
        'an upgrade to h2c',
        `${head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\nContent-Length: 2, 9\r\n\r\n{}${inner}`,
      ],
    ];
    for (const [name, bytes] of rows) {
      it(`refuses and closes the connection for ${name}`, async () => {
        const text = await exchange(base, bytes, 3_000);
        expect(text).to.match(/^HTTP\/1\.1 4\d\d /);
        expect(text.match(/HTTP\/1\.1 \d\d\d/g), 'one answer').to.have.length(1);
      });
    }

    it('serves no smuggled request', async () => {
      expect(await readFile(path.join(test.stack.dataDir, 'logs', 'gateway.log'), 'utf8')).not.to.contain('smuggled');
    });
  });

  describe('CORS', () => {
    const rows: readonly [origin: string, isAllowed: boolean][] = [
      ['https://panel.example.com', true],
      ['http://panel.example.com', false],
      ['https://panel.example.com.evil.example', false],
      ['https://evilpanel.example.com', false],
      ['https://panel.example.com:8443', false],
      ['https://PANEL.example.com', false],
      ['https://panel.example.com/', false],
      ['https://panel.example.com, https://evil.example', false],
      ['null', false],
      ['*', false],
      ['file://', false],
      ['https://evil.example', false],
    ];
    for (const [origin, isAllowed] of rows) {
      it(`${isAllowed ? 'allows' : 'does not allow'} the origin ${origin}`, async () => {
        const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
        const asked = await send(base, account, { method: 'OPTIONS', headers: { origin, ...preflight } });
        const simple = await send(base, account, { headers: { origin }, token: person.token });
        for (const { headers } of [asked, simple]) {
          expect(headers['access-control-allow-origin']).to.equal(isAllowed ? origin : undefined);
          expect(headers['access-control-allow-credentials']).to.equal(undefined);
          expect(headers['vary']).to.match(/\bOrigin\b/);
        }
        expect(asked.headers['access-control-allow-methods']).to.equal(
          isAllowed ? 'GET, HEAD, POST, PUT, PATCH, DELETE' : undefined,
        );
        expect(asked.status).to.equal(204);
      });
    }
  });

  describe('client headers', () => {
    it('echoes plain request ids and replaces malformed ones', async () => {
      const good = 'client-id.0123_ABC';
      expect((await send(base, account, { headers: { 'x-request-id': good } })).headers['x-request-id']).to.equal(good);
      for (const bad of [
        'short',
        'x'.repeat(65),
        'a b c d e f g',
        '<script>alert(1)</script>',
        '${jndi:ldap://x}',
        '"}{"',
      ]) {
        const { headers } = await send(base, account, { headers: { 'x-request-id': bad } });
        expect(headers['x-request-id'], bad).to.match(/^[0-9a-f-]{36}$/);
      }
    });

    it('repeats a forged Host header in no response and no mail', async () => {
      const user = await users.create();
      await users.readMailedToken(test.stack, user.email);
      for (const host of ['evil.example', 'evil.example:x@panel', 'localhost@evil.example']) {
        const headers = { host, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' };
        const paths = ['/', '/docs', '/password/reset', '/api/v1/openapi.json', account];
        for (const each of paths) {
          const answer = await send(base, each, { headers });
          expect(`${JSON.stringify(answer.headers)} ${answer.text}`, `${host} ${each}`).not.to.contain('evil.example');
        }
        const json = { email: user.email };
        await send(base, '/api/v1/auth/password/forgot', { json, headers });
      }
      await users.resetToken(test.stack, user.email);
      expect(await readFile(path.join(test.stack.dataDir, 'logs', 'admin.log'), 'utf8')).not.to.contain('evil.example');
    });

    it('answers 404 at well-known paths of other software', async () => {
      const paths = [
        '/metrics',
        '/healthz',
        '/readyz',
        '/health',
        '/debug',
        '/debug/pprof',
        '/graphql',
        '/.env',
        '/.git/config',
      ];
      for (const each of [...paths, '/api/v0/account', '/api/v2/account', '/api/internal', '/swagger.json', '/admin']) {
        expect((await send(base, each, { token: users.adminToken })).status, each).to.equal(404);
      }
    });
  });

  describe('Idempotency-Key', () => {
    const keyed = async (key: string, json: object, token = person.token, at = '/api/v1/account/api-keys') =>
      send(base, at, { token, json, headers: { 'idempotency-key': key } });
    const count = async (userId: string) => databases.collection('identity', 'api_keys').countDocuments({ userId });

    it('does not share an idempotency key between users', async () => {
      const other = await users.signUp();
      const [mine, theirs] = [
        await keyed('shared-key', { description: 'a' }),
        await keyed('shared-key', { description: 'a' }, other.token),
      ];
      expect([mine.status, theirs.status]).to.deep.equal([201, 201]);
      expect((mine.body.data as { key: string }).key).not.to.equal((theirs.body.data as { key: string }).key);
      expect(theirs.headers['idempotent-replayed']).to.equal(undefined);
      expect(await count(other.id)).to.equal(1);
    });

    it('refuses the same key with another body and changes nothing', async () => {
      const first = await keyed('reused-key', { description: 'first' });
      expect(first.status).to.equal(201);
      const before = await databases.snapshot('identity');
      expect((await keyed('reused-key', { description: 'second' })).status).to.equal(409);
      const again = await keyed('reused-key', { description: 'first' });
      expect(again.status).to.equal(201);
      expect(again.headers['idempotent-replayed']).to.equal('true');
      expect(again.text).to.equal(first.text);
      expect(await databases.snapshot('identity')).to.deep.equal(before);
    });

    it('creates one object for 50 concurrent requests with one key', async () => {
      const owner = await users.signUp();
      const many = await Promise.all(
        Array.from({ length: 50 }, async () => keyed('at-once', { description: 'x' }, owner.token)),
      );
      expect(await count(owner.id)).to.equal(1);
      const keys = many.filter(({ status }) => status === 201).map(({ body }) => (body.data as { key: string }).key);
      expect(new Set(keys).size).to.equal(1);
      for (const { status } of many) expect(status).to.be.oneOf([201, 409]);
    });

    it('refuses keys that are long or hold invisible characters', async () => {
      const before = await count(person.id);
      for (const key of ['x'.repeat(256), 'x'.repeat(8_000), 'with blank', 'ü']) {
        expect((await keyed(key, { description: 'x' })).status, key.slice(0, 10)).to.equal(400);
      }
      expect(await count(person.id)).to.equal(before);
    });

    it('creates one user when a request is repeated after identity was killed while it ran', async () => {
      const name = `crash-${randomBytes(3).toString('hex')}`;
      const json = { email: `${name}@example.com`, username: name, password };
      const ask = async () => keyed(name, json, users.adminToken, '/api/v1/admin/users');
      const userRecords = databases.collection('identity', 'users');
      const first = ask();
      await test.stack.kill('identity', 'SIGKILL');
      await first;
      await test.stack.whenReady('identity');
      const answer = await waitUntil(
        'the end of the first one’s lease',
        async () => {
          const again = await ask();
          expect(again.status).to.be.oneOf([201, 409, 500, 503]);
          expect(await userRecords.countDocuments({ email: json.email })).to.be.at.most(1);
          return again.status === 201 ? again : null;
        },
        30_000,
      );
      const made = await userRecords.find({ email: json.email }).toArray();
      expect(made).to.have.length(1);
      expect((answer.body.data as { id: string }).id).to.equal(made[0]?._id);
    });
  });

  describe('API keys', () => {
    const forwarded = (ip: string): Sent => ({ headers: { 'x-forwarded-for': ip } });
    const rows: readonly [allowed: string[], ip: string, status: number][] = [
      [[], '203.0.113.1', 200],
      [['198.51.100.7'], '198.51.100.7', 200],
      [['198.51.100.7'], '198.51.100.8', 403],
      [['198.51.100.0/24'], '198.51.100.255', 200],
      [['198.51.100.0/24'], '198.51.101.0', 403],
      [['198.51.100.7/32', '203.0.113.0/25'], '203.0.113.127', 200],
      [['198.51.100.7/32', '203.0.113.0/25'], '203.0.113.128', 403],
      [['0.0.0.0/0'], '203.0.113.1', 200],
      [['0.0.0.0/0'], '2001:db8::1', 403],
      [['2001:db8::/32'], '2001:db8:ffff::1', 200],
      [['2001:db8::/32'], '2001:DB8:0:0::1', 200],
      [['2001:db8::/32'], '2001:db9::1', 403],
      [['2001:db8::1'], '2001:0db8:0000::0001', 200],
      [['198.51.100.7'], '::ffff:198.51.100.7', 200],
      [['198.51.100.7'], '::FFFF:C633:6407', 200],
      [['::ffff:198.51.100.7'], '198.51.100.7', 200],
      [['::ffff:198.51.100.0/120'], '198.51.100.200', 200],
      [['::ffff:198.51.100.0/120'], '198.51.101.200', 403],
      [['127.0.0.1'], '203.0.113.1', 403],
    ];

    it(`accepts an API key from its allowed addresses only (${rows.length} cases)`, async () => {
      const owner = await users.signUp();
      for (const [allowed, ip, status] of rows) {
        const { id, key } = await users.createApiKey(owner.token, { allowed_ips: allowed });
        const answer = await send(base, account, { token: key, ...forwarded(ip) });
        expect(answer.status, `${allowed.join()} from ${ip}`).to.equal(status);
        await send(base, `/api/v1/account/api-keys/${id}`, { method: 'DELETE', token: owner.token });
      }
    });

    it('ignores addresses a client adds on the left of X-Forwarded-For', async () => {
      const { key } = await users.createApiKey(person.token, { allowed_ips: ['198.51.100.7'] });
      const answer = await send(base, account, { token: key, ...forwarded('198.51.100.7, 203.0.113.1') });
      expect(answer.status).to.equal(403);
      const past = await send(base, account, { token: key, ...forwarded('198.51.100.7'), from: '127.0.0.2' });
      expect(past.status, 'past the proxy').to.equal(403);
    });

    it('refuses an API key after its expiry', async () => {
      const { key, id } = await users.createApiKey(person.token, {
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      expect((await send(base, account, { token: key })).status).to.equal(200);
      const soon = new Date(Date.now() + 1_500);
      const { key: brief } = await users.createApiKey(person.token, { expires_at: soon.toISOString() });
      expect((await send(base, account, { token: brief })).status).to.equal(200);
      await waitUntil('its end', () => Date.now() > soon.getTime());
      expect((await send(base, account, { token: brief })).status, 'though it was let in a moment ago').to.equal(401);
      const past = { description: 'late', expires_at: new Date(Date.now() - 1).toISOString() };
      expect((await send(base, '/api/v1/account/api-keys', { token: person.token, json: past })).status).to.equal(422);
      await send(base, `/api/v1/account/api-keys/${id}`, { method: 'DELETE', token: person.token });
    });

    it('limits an API key to the current permissions of its owner', async () => {
      const role = await users.createRole(['users.view', 'roles.view', 'nodes.view']);
      const owner = await users.signUp({ role_id: role.id });
      const { key } = await users.createApiKey(owner.token, { permissions: ['users.view', 'roles.view'] });
      const statuses = async () =>
        Promise.all(
          ['users', 'roles', 'nodes', 'settings'].map(
            async (area) => (await send(base, `/api/v1/admin/${area}`, { token: key })).status,
          ),
        );
      expect(await statuses()).to.deep.equal([200, 200, 403, 403]);
      const setRole = { method: 'PUT', token: users.adminToken };
      await dataOf(base, `/api/v1/admin/roles/${role.id}`, {
        ...setRole,
        json: { permissions: ['roles.view', 'settings.view'] },
      });
      expect(await statuses()).to.deep.equal([403, 200, 403, 403]);
      await dataOf(base, `/api/v1/admin/roles/${role.id}`, { ...setRole, json: { permissions: ['users.view'] } });
      expect(await statuses()).to.deep.equal([200, 403, 403, 403]);
    });

    it('does not let an API key start a session or change password or second factor', async () => {
      const owner = await users.signUp();
      const { key } = await users.createApiKey(owner.token);
      const before = await databases.snapshot('identity');
      const tries: [number, string, Sent][] = [
        [401, '/api/v1/auth/refresh', { json: { refresh_token: key } }],
        [401, '/api/v1/auth/login', { json: { email: owner.email, password: key } }],
        [
          422,
          `${account}/password`,
          { method: 'PUT', json: { current_password: key, password: 'a new long password' } },
        ],
        [422, `${account}/2fa`, { json: { password: key } }],
        [422, account, { method: 'PUT', json: { email: 'mine@example.com' } }],
        [422, account, { method: 'PUT', json: { email: 'mine@example.com', current_password: key } }],
      ];
      for (const [code, at, sent] of tries) expect((await send(base, at, { ...sent, token: key })).status).equal(code);
      expect((await send(base, '/api/v1/auth/logout', { method: 'POST', token: key })).status).to.be.oneOf([200, 204]);
      expect((await send(base, account, { token: owner.token })).status, 'a key ends nothing').to.equal(200);
      expect(await databases.snapshot('identity')).to.deep.equal(before);
    });
  });

  describe('logs', () => {
    it('writes one line of JSON per event for every request', async () => {
      const marks = ['\u001b[31mred', 'a"}\\n{"level":"fatal"', '<script>', '${jndi:ldap://x}'];
      for (const mark of marks) {
        const headers = { 'user-agent': Buffer.from(mark).toString('latin1').replaceAll('\u001b', ' ') };
        await send(base, `/api/v1/${encodeURIComponent(mark)}`, { headers });
        await send(base, login, { json: { email: `x@example.com${mark}`, password: 'wrong password' }, headers });
      }
      const log = await readFile(path.join(test.stack.dataDir, 'logs', 'gateway.log'), 'utf8');
      for (const line of log.split('\n').filter((each) => each.startsWith('{'))) {
        const parsed = JSON.parse(line) as { service: string };
        expect(parsed.service).to.equal('gateway');
      }
      // oxlint-disable-next-line no-control-regex -- that is what must not be in there
      expect(log).not.to.match(/[\u0000-\u0008\u001b]/);
    });

    it('writes no password, token, key, code or link', async () => {
      const owner = await users.signUp();
      const factor = await users.enableTwoFactor(owner);
      const token = await users.challenge(owner.email);
      const code = totpCode(factor.secret, Math.max(factor.step, currentStep()) + 1);
      const tokens = await dataOf<{ access_token: string; refresh_token: string }>(base, '/api/v1/auth/2fa/verify', {
        json: { token, code },
      });
      const wrong = `wrong-${randomUUID()}`;
      await send(base, login, { json: { email: owner.email, password: wrong } });
      await send(base, `${account}?token=${tokens.access_token}&key=${wrong}`, { token: `gsp_${wrong}` });
      await send(base, '/api/v1/auth/password/reset', { json: { token: wrong, password: wrong } });
      await send(base, '/api/v1/auth/refresh', {
        body: `{"refresh_token":"${wrong}`,
        headers: { 'content-type': 'application/json' },
      });
      await send(base, account, {
        headers: { authorization: `Basic ${wrong}`, cookie: `s=${wrong}`, 'idempotency-key': wrong },
      });
      await users.resetToken(test.stack, owner.email);
      const secrets = new Set([
        ...users.secrets,
        tokens.access_token,
        tokens.refresh_token,
        code,
        wrong,
        test.password,
      ]);
      secrets.add(test.stack.serviceSecret);

      const directory = path.join(test.stack.dataDir, 'logs');
      const files = (await readdir(directory)).filter((name) =>
        /^(gateway|identity|servers|billing|files|admin)/.test(name),
      );
      expect(files).to.include.members(['gateway.log', 'identity.log', 'admin.log']);
      for (const file of files) {
        const text = await readFile(path.join(directory, file), 'utf8');
        expect(text.length).to.be.above(100);
        for (const secret of secrets) expect(holds(text, secret), `${file}: ${secret}`).to.equal(false);
      }
    });

    /** Six digits may be part of a longer number. */
    function holds(text: string, secret: string): boolean {
      return /^\d{6}$/.test(secret)
        ? new RegExp(`(?<![\\d.:a-f-])${secret}(?![\\d.:a-f-])`).test(text)
        : text.includes(secret);
    }
  });

  describe('slow clients', () => {
    it('closes connections whose headers take over 10 s or whose body takes over 30 s', async () => {
      // Opened before all tests above.
      const limits: Record<string, number> = {
        nothing: 15_000,
        'half a request line': 15_000,
        'headers by the byte': 15_000,
      };
      for (const [name, connection] of Object.entries(slow)) {
        const ms = await connection.ended(40_000);
        expect(ms, name).to.be.below(limits[name] ?? 35_000);
      }
      expect((await send(base, '/api/v1/nothing')).status).to.equal(404);
    });
  });
});
