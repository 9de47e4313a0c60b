import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createActorSigner, serviceActor } from '@panel/rpc';
import { CreateRoleRequest, CreateUserRequest, RoleServiceService, UserServiceService } from '@panel/protos/identity';
import { expect } from 'chai';
import { bootStack, type TestStack } from '../support/stack.js';
import { accessClaims, signToken } from './support/forged-tokens.js';
import { needRedis } from './support/need-redis.js';
import { password, type Tokens } from './support/users.js';
import { type Answer, exchange, send, type Sent } from './support/requests.js';

/* See the advisory for CVE-2026-61609. Each row uses its own address in 127.0.0.0/8. */
const auth = 5;
const general = 20;
const login = '/api/v1/auth/login';

describe('rate limit bypasses', function () {
  this.timeout(180_000);
  let test: TestStack;
  /** Trusts no forwarded address. */
  let open: string;
  /** Trusts 127.0.0.1 and 10.0.0.0/8. */
  let behindProxy: string;
  let subnet = 0;

  before(async function () {
    needRedis(this);
    test = await bootStack(
      { RATE_LIMIT_AUTH: `${auth}`, RATE_LIMIT_GENERAL: `${general}` },
      { gateways: 2, overrides: { 'gateway-2': { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' } } },
    );
    [open = '', behindProxy = ''] = test.stack.gateways.map(({ baseUrl }) => baseUrl);
  });

  after(async () => test?.stop());

  /** An address without earlier requests. */
  const stranger = () => {
    subnet += 1;
    return `127.${7 + (subnet >> 8)}.${subnet & 255}.1`;
  };
  /** Uses the sign-in budget without hashing. */
  const refresh = '/api/v1/auth/refresh';
  const wrongRefresh = { method: 'POST', json: { refresh_token: 'not one' } };
  const wrongLogin = { method: 'POST', json: { email: 'nobody@example.com', password: 'not the password' } };
  const isRefused = ({ status }: Answer) => status === 429;
  const passed = (answers: readonly Answer[]) => answers.filter((answer) => !isRefused(answer)).length;

  /** A user created directly, without gateway requests. */
  async function made(roleId = ''): Promise<{ id: string; email: string; token: string }> {
    const connection = connect({
      address: test.stack.grpc.identity,
      signer: createActorSigner(test.stack.serviceSecret),
      actor: serviceActor('test'),
    });
    try {
      const name = `u${randomBytes(5).toString('hex')}`;
      const email = `${name}@example.com`;
      const request = CreateUserRequest.create({ email, username: name, password, roleId });
      const { user } = await connection.client(UserServiceService).createUser(request);
      const answer = await send(open, login, { json: { email, password }, from: stranger() });
      return { id: user?.id ?? '', email, token: (answer.body.data as Tokens).access_token };
    } finally {
      connection.close();
    }
  }

  async function roleWith(rateLimitMultiplier: number): Promise<string> {
    const connection = connect({
      address: test.stack.grpc.identity,
      signer: createActorSigner(test.stack.serviceSecret),
      actor: serviceActor('test'),
    });
    try {
      const request = CreateRoleRequest.create({ name: `role ${randomUUID()}`, permissions: [], rateLimitMultiplier });
      const { role } = await connection.client(RoleServiceService).createRole(request);
      return role?.id ?? '';
    } finally {
      connection.close();
    }
  }

  describe('the login limit of an address', () => {
    const variations: readonly [name: string, vary: (index: number) => Sent][] = [
      ['requests that are all alike', () => ({})],
      ['X-Forwarded-For of a stranger', (i) => ({ headers: { 'x-forwarded-for': `203.0.113.${i}` } })],
      ['a long X-Forwarded-For', (i) => ({ headers: { 'x-forwarded-for': `1.1.1.${i}, 2.2.2.${i}, 127.0.0.1` } })],
      ['X-Real-IP', (i) => ({ headers: { 'x-real-ip': `203.0.113.${i}`, 'x-client-ip': `203.0.113.${i}` } })],
      ['Forwarded', (i) => ({ headers: { forwarded: `for=203.0.113.${i};proto=https` } })],
      ['headers of CDNs', (i) => ({ headers: { 'cf-connecting-ip': `1.1.1.${i}`, 'true-client-ip': `1.1.1.${i}` } })],
      ['User-Agent', (i) => ({ headers: { 'user-agent': `Browser/${i}`, 'accept-language': `x-${i}` } })],
      ['Host and Origin', (i) => ({ headers: { host: `h${i}.example`, origin: `https://h${i}.example` } })],
      ['cookies and request ids', (i) => ({ headers: { cookie: `id=${i}`, 'x-request-id': `request-${i}` } })],
      ['Idempotency-Key', (i) => ({ headers: { 'idempotency-key': `key-${i}` } })],
      ['random bearer tokens', () => ({ token: randomBytes(20).toString('hex') })],
      ['another account each time', (i) => ({ json: { email: `u${i}@example.com`, password: 'not the password' } })],
      ['bodies that are refused before anything is looked up', (i) => ({ json: { email: i } })],
      ['bodies that are no JSON', () => ({ body: '{', headers: { 'content-type': 'application/json' } })],
    ];

    for (const [name, vary] of variations) {
      it(`keeps the login limit of an address despite ${name}`, async () => {
        const from = stranger();
        const answers: Answer[] = [];
        for (let i = 1; i <= auth + 3; i++) {
          const sent = vary(i);
          const body = sent.body === undefined ? { json: sent.json ?? wrongRefresh.json } : {};
          answers.push(await send(open, 'json' in sent ? login : refresh, { method: 'POST', ...sent, ...body, from }));
        }
        expect(answers.map(isRefused)).to.deep.equal([...Array<boolean>(auth).fill(false), true, true, true]);
      });
    }

    it('holds for parallel connections at two gateways', async () => {
      const from = stranger();
      const many = Array.from({ length: 60 }, async (_, index) =>
        send([open, behindProxy][index % 2] ?? open, login, { ...wrongLogin, from }),
      );
      expect(passed(await Promise.all(many))).to.equal(auth);
    });

    it('shares the login limit among all login endpoints', async () => {
      const from = stranger();
      const requests: [string, object][] = [
        ['/api/v1/auth/login', wrongLogin.json],
        ['/api/v1/auth/login', wrongLogin.json],
        ['/api/v1/auth/2fa/verify', { token: 'x', code: '000000' }],
        ['/api/v1/auth/password/forgot', { email: 'nobody@example.com' }],
        ['/api/v1/auth/password/reset', { token: 'x', password }],
      ];
      for (const [path, json] of requests)
        expect((await send(open, path, { json, from })).status, path).not.to.equal(429);
      for (const [path, json] of requests) expect((await send(open, path, { json, from })).status, path).to.equal(429);
    });

    it('counts another address separately', async () => {
      const [from, neighbour] = [stranger(), stranger()];
      for (let i = 0; i < auth + 1; i++) await send(open, login, { ...wrongLogin, from });
      expect((await send(open, login, { ...wrongLogin, from })).status).to.equal(429);
      const answer = await send(open, login, { ...wrongLogin, from: neighbour });
      expect(answer.status).to.equal(401);
      expect(answer.headers['x-ratelimit-remaining']).to.equal(`${auth - 1}`);
    });
  });

  describe('other spellings of a path', () => {
    const spellings: readonly ((index: number) => string)[] = [
      () => '/api/v1/auth/login/',
      () => '/API/V1/AUTH/LOGIN',
      () => '/api/v1/auth/Login',
      () => '/api/v1//auth/login',
      () => '//api/v1/auth/login',
      () => '/api/v1/./auth/login',
      () => '/api/v1/x/../auth/login',
      () => '/api/v1/auth/%6cogin',
      () => '/api/v1%2fauth%2flogin',
      () => '/api/v1/auth/login%2f',
      () => '/api/v1/auth/login%00',
      () => '/api/v1/auth/login%20',
      (i) => `/api/v1/auth/login;v=${i}`,
      (i) => `/api/v1/auth/login?v=${i}`,
      () => '/api/v1/auth/login?',
      (i) => `http://h${i}.example/api/v1/auth/login`,
      () => '/api/v1/auth/login.json',
    ];
    for (const spell of spellings) {
      it(`applies the login limit to other spellings: ${spell(1)}`, async () => {
        const from = stranger();
        let reached = 0;
        for (let i = 1; i <= auth + 3; i++) {
          const { status } = await send(open, spell(i), { ...wrongLogin, from });
          expect(status).to.be.oneOf([400, 401, 404, 422, 429]);
          if (status === 401) reached += 1;
        }
        expect(reached).to.be.at.most(auth);
      });
    }

    it('refuses /admin in other spellings', async () => {
      const { token } = await made();
      const ways = [
        'ADMIN/users',
        '/admin/users',
        'admin/users/',
        'servers/../admin/users',
        'servers/%2e%2e/admin/users',
      ];
      for (const way of [...ways, 'admin%2fusers', 'admin/users;x=y', 'admin/users.', 'admin/users%20']) {
        const { status } = await send(open, `/api/v1/${way}`, { token, from: stranger() });
        expect(status, way).to.be.oneOf([403, 404]);
      }
    });

    it('ignores method override headers', async () => {
      const from = stranger();
      for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
        const { status } = await send(open, login, { method: 'GET', headers: { [name]: 'POST' }, from });
        expect(status, name).to.equal(404);
      }
      for (const method of ['PATCH', 'TRACE', 'PROPFIND', 'HEAD']) {
        const answer = await send(open, login, { method, headers: { 'x-secret': 'echo me' }, from });
        expect(answer.status, method).to.be.oneOf([400, 404]);
        expect(answer.text).not.to.contain('echo me');
      }
    });
  });

  describe('client address behind a trusted proxy', () => {
    /** By request index, and a number from 10 to 99 unused by earlier runs. */
    type Forwarded = (index: number, at: number) => string | string[];
    const rows: readonly [name: string, forwarded: Forwarded, isOne: boolean][] = [
      ['whatever stands left of it', (i, at) => `203.0.113.${i}, 198.51.${at}.1`, true],
      ['whatever stands left of it, in another header line', (i, at) => [`203.0.113.${i}`, `198.51.${at}.2`], true],
      ['with more proxies of ours right of it', (i, at) => `198.51.${at}.3, 10.0.0.${i}, 10.9.9.9`, true],
      ['with a port that changes', (i, at) => `198.51.${at}.4:${40_000 + i}`, true],
      ['in IPv4 and in its IPv6 dress', (i, at) => (i % 2 ? `198.51.${at}.5` : `::ffff:198.51.${at}.5`), true],
      [
        'in its IPv6 dress, in hexadecimal',
        (i, at) => (i % 2 ? `198.51.${at}.6` : `::FFFF:C633:${at.toString(16).toUpperCase()}06`),
        true,
      ],
      ['anywhere in its /64', (i, at) => `2001:db8:1:${at}::${i}`, true],
      [
        'in any spelling of IPv6',
        (i, at) => [`2001:db8:${at}::1`, `2001:0DB8:00${at}:0::1`, `[2001:db8:${at}::1]:443`][i % 3] ?? '',
        true,
      ],
      ['with nothing between commas', (_, at) => ` , ,198.51.${at}.8`, true],
      ['different clients', (i) => `198.51.100.${100 + i}`, false],
      ['different networks of IPv6', (i) => `2001:db8:${i}::1`, false],
    ];

    let runs = 9;
    for (const [name, forwarded, isOne] of rows) {
      it(`counts ${isOne ? 'one client' : 'many clients'} for ${name}`, async () => {
        runs += 1;
        const answers: Answer[] = [];
        for (let i = 1; i <= auth + 3; i++) {
          const headers = { 'x-forwarded-for': forwarded(i, runs) };
          answers.push(await send(behindProxy, refresh, { ...wrongRefresh, headers, from: '127.0.0.1' }));
        }
        expect(passed(answers)).to.equal(isOne ? auth : auth + 3);
      });
    }

    it('counts a malformed address as the proxy', async () => {
      const answers: Answer[] = [];
      for (let i = 1; i <= auth + 3; i++) {
        const headers = { 'x-forwarded-for': `198.51.100.7, garbage-${i}` };
        answers.push(await send(behindProxy, refresh, { ...wrongRefresh, headers, from: '127.0.0.1' }));
      }
      // 127.0.0.1 has signed in during the boot.
      expect(passed(answers)).to.be.at.most(auth);
    });

    it('ignores X-Forwarded-For of clients that bypass the proxy', async () => {
      const from = stranger();
      const answers: Answer[] = [];
      for (let i = 1; i <= auth + 3; i++) {
        const headers = { 'x-forwarded-for': `198.51.100.${200 + i}` };
        answers.push(await send(behindProxy, refresh, { ...wrongRefresh, headers, from }));
      }
      expect(passed(answers)).to.equal(auth);
    });
  });

  describe('the general limit', () => {
    const key = () => `gsp_${randomBytes(43).toString('hex').slice(0, 43)}`;
    const forged = () => signToken(accessClaims(randomUUID(), randomUUID()), randomBytes(32));
    const rows: readonly [name: string, token: () => string | undefined][] = [
      ['no credentials', () => undefined],
      ['random words', () => randomBytes(12).toString('hex')],
      ['forged tokens of a new user each', forged],
      ['API keys nobody has', key],
      ['malformed API keys', () => 'gsp_'],
    ];
    for (const [name, token] of rows) {
      it(`counts guesses of an address against the general limit: ${name}`, async () => {
        const from = stranger();
        const answers: Answer[] = [];
        for (let i = 0; i < general + 5; i++)
          answers.push(await send(open, '/api/v1/account', { token: token(), from }));
        expect(answers.slice(0, general).every(({ status }) => status === 401)).to.equal(true);
        expect(answers.slice(general).every(isRefused)).to.equal(true);
      });
    }

    it('shares the general limit of an address among existing and unknown paths', async () => {
      const from = stranger();
      const paths = ['/', '/api', '/api/v1/nothing', '/docs', '/password/set', '/api/v1/account', '/.env', '/metrics'];
      const remaining: number[] = [];
      for (const path of paths) {
        const answer = await send(open, path, { from });
        expect(answer.status, path).to.be.oneOf([200, 401, 404]);
        remaining.push(Number(answer.headers['x-ratelimit-remaining']));
      }
      expect(remaining).to.deep.equal(paths.map((_, index) => general - 1 - index));
    });

    it('counts the general limit of a user exactly over sessions, keys, gateways and addresses', async () => {
      const person = await made();
      const other = await send(open, login, { json: { email: person.email, password }, from: stranger() });
      const made1 = await send(open, '/api/v1/account/api-keys', { token: person.token, json: { description: 'k' } });
      const tokens = [person.token, (other.body.data as Tokens).access_token, (made1.body.data as { key: string }).key];
      // A gateway resolves an unknown key first, then counts.
      for (const base of [open, behindProxy])
        await send(base, '/api/v1/account', { token: tokens[2], from: stranger() });
      const many = Array.from({ length: 60 }, async (_, index) =>
        send([open, behindProxy][index % 2] ?? open, '/api/v1/account', { token: tokens[index % 3], from: stranger() }),
      );
      const answers = await Promise.all(many);
      expect(passed(answers)).to.equal(general - 3);
      for (const { headers } of answers) expect(Number(headers['x-ratelimit-remaining'])).to.be.at.least(0);
    });

    it('spends no general limit of a user with an API key from a forbidden address', async () => {
      const owner = await made();
      const remaining = async () =>
        Number((await send(open, '/api/v1/account', { token: owner.token })).headers['x-ratelimit-remaining']);
      const [home, elsewhere, later] = [stranger(), stranger(), stranger()];
      const json = { description: 'bound', allowed_ips: [home] };
      const answer = await send(open, '/api/v1/account/api-keys', { token: owner.token, json });
      const { id, key } = answer.body.data as { id: string; key: string };
      expect((await send(open, '/api/v1/account', { token: key, from: home })).status).to.equal(200);
      const before = await remaining();
      const flood = async (from: string) => {
        const many = Array.from({ length: general + 10 }, async () =>
          send(open, '/api/v1/account', { token: key, from }),
        );
        return passed(await Promise.all(many));
      };
      expect(await flood(elsewhere), 'from an address it is not for').to.equal(general);
      expect(await remaining()).to.equal(before - 1);
      await send(open, `/api/v1/account/api-keys/${id}`, { method: 'DELETE', token: owner.token });
      // The request that reveals the key's deletion still counts for its owner.
      await send(open, '/api/v1/account', { token: key, from: home });
      expect(await flood(later), 'after it was deleted').to.equal(general);
      expect(await flood(home), 'from its own address').to.be.at.most(general);
      expect(await remaining()).to.equal(before - 4);
    });

    it('decreases by one with every response of any status', async () => {
      const { token } = await made();
      const requests: [string, Sent][] = [
        ['/api/v1/account', {}],
        ['/api/v1/account', { method: 'HEAD' }],
        ['/api/v1/nothing', {}],
        ['/api/v1/admin/users', {}],
        [`/api/v1/servers/${randomUUID()}`, {}],
        ['/api/v1/account/api-keys', { json: {} }],
        ['/api/v1/account/api-keys', { body: '{', headers: { 'content-type': 'application/json' } }],
        ['/api/v1/account?', { method: 'OPTIONS' }],
      ];
      const seen: number[] = [];
      for (const [path, sent] of requests) {
        const { headers } = await send(open, path, { ...sent, token });
        seen.push(Number(headers['x-ratelimit-remaining']));
      }
      expect(seen).to.deep.equal(requests.map((_, index) => general - 1 - index));
    });

    it('multiplies the general limit by the factor of the role', async () => {
      const multipliers: [string, number][] = [
        ['00000000-0000-4000-8000-000000000001', 1],
        ['00000000-0000-4000-8000-000000000002', 1.5],
        ['00000000-0000-4000-8000-000000000003', 2],
        [await roleWith(2.5), 2.5],
        [await roleWith(0.1), 0.1],
      ];
      for (const [roleId, multiplier] of multipliers) {
        const { token } = await made(roleId);
        const limit = general * multiplier;
        const first = await send(open, '/api/v1/account', { token });
        expect(first.headers['x-ratelimit-limit'], `${multiplier}`).to.equal(`${limit}`);
        const rest = Array.from({ length: limit + 1 }, async () => send(behindProxy, '/api/v1/account', { token }));
        expect(passed(await Promise.all(rest)), `${multiplier}`).to.equal(limit - 1);
      }
    });
  });

  it('answers 429 with Retry-After in seconds', async () => {
    const from = stranger();
    let answer = await send(open, login, { ...wrongLogin, from });
    while (answer.status !== 429) answer = await send(open, login, { ...wrongLogin, from });
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).to.be.within(1, 60);
    expect(answer.body.error).to.include({ code: 'rate_limit_exceeded' });
    expect(answer.body.error?.message).to.contain(`${seconds} seconds`);
    expect(answer.headers['x-ratelimit-remaining']).to.equal('0');
    expect(answer.headers['x-ratelimit-limit']).to.equal(`${auth}`);
    const resetIn = Number(answer.headers['x-ratelimit-reset']) - Date.now() / 1000;
    expect(Math.abs(resetIn - seconds)).to.be.below(2.5);
  });

  it('sends the rate limit headers with every response, also of unparsed requests', async () => {
    const from = stranger();
    const answers: [string, Answer][] = [];
    const ask = async (name: string, path: string, sent: Sent = {}) =>
      answers.push([name, await send(open, path, { ...sent, from })]);
    const origin = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    await ask('404', '/nothing');
    await ask('another method', login, { method: 'DELETE' });
    await ask('401', '/api/v1/account');
    await ask('400', login, { body: '{', headers: { 'content-type': 'application/json' } });
    await ask('422', login, { json: {} });
    await ask('a pre-flight', login, { method: 'OPTIONS', headers: origin });
    await ask('OPTIONS', login, { method: 'OPTIONS' });
    await ask('HEAD', '/docs', { method: 'HEAD' });
    await ask('a page', '/password/set');
    await ask('the description', '/api/v1/openapi.json');
    await ask('an upgrade that is none', '/api/v1/account', { headers: { connection: 'upgrade', upgrade: 'h2c' } });
    for (let i = 0; i <= auth; i++) await ask(`sign-in ${i}`, login, wrongLogin);
    expect(answers.at(-1)?.[1].status).to.equal(429);
    for (const [name, { headers }] of answers) expectHeaders(name, headers);

    const host = 'Host: x\r\n';
    const raw: [string, string][] = [
      ['no HTTP', 'nonsense\r\n\r\n'],
      ['an unknown method', `FOO / HTTP/1.1\r\n${host}\r\n`],
      ['CONNECT', `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`],
      ['headers beyond measure', `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`],
      ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
      ['two lengths', `POST ${login} HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
    ];
    for (const [name, bytes] of raw) {
      const text = await exchange(open, bytes);
      expect(text, name).to.match(/^HTTP\/1\.1 4\d\d /);
      const lines = text.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? [];
      expectHeaders(
        name,
        Object.fromEntries(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]])),
      );
    }
  });

  function expectHeaders(name: string, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']) {
      expect(headers[header], `${name}: ${header}`).to.match(/^\d+$/);
    }
    expect(headers['x-request-id'], name).to.match(/^[\w.-]{8,64}$/);
    expect(headers['cache-control'], name).to.equal('no-store');
    expect(headers['x-content-type-options'], name).to.equal('nosniff');
    expect(headers['x-frame-options'], name).to.equal('DENY');
    expect(headers['strict-transport-security'], name).to.contain('max-age=');
    expect(headers['content-security-policy'], name).to.contain("default-src 'none'");
    expect(headers['x-powered-by'] ?? headers['server'], name).to.equal(undefined);
  }

  describe('while Redis hangs', () => {
    before(async () => test.stack.kill('redis', 'SIGSTOP'));
    after(async () => test.stack.kill('redis', 'SIGCONT'));

    it('divides the limit between the gateways', async () => {
      const from = stranger();
      const many = Array.from({ length: 40 }, async (_, index) =>
        send([open, behindProxy][index % 2] ?? open, login, { ...wrongLogin, from }),
      );
      const answers = await Promise.all(many);
      expect(passed(answers)).to.be.within(2, auth);
      for (const { headers, ms } of answers) {
        expect(headers['x-ratelimit-limit']).to.equal(`${Math.floor(auth / 2)}`);
        expect(ms).to.be.below(5_000);
      }
    });

    it('limits guesses of tokens', async () => {
      const from = stranger();
      const many = Array.from({ length: 60 }, async () => send(open, '/api/v1/account', { token: 'x', from }));
      expect(passed(await Promise.all(many))).to.equal(general / 2);
    });
  });
});
