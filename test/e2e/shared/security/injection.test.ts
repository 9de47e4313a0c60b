import { randomBytes } from 'node:crypto';
import { quickestMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { type Databases, openDatabases } from '../../security/support/database.js';
import {
  extraMembers,
  maliciousTexts,
  isNullable,
  isText,
  nonStringValues,
  nonScalarValues,
} from '../../security/support/malicious-input.js';
import { password, TestUsers, type TestUser } from '../../security/support/users.js';
import { type Answer, dataOf, forEach, send } from '../../security/support/requests.js';
import { type Endpoint, isIdentity, readEndpoints } from '../../security/support/route-table.js';

/* In every documented field and parameter. No request causes a 5xx, and a refused one changes nothing. */
const maxMs = 10_000;
const loneSurrogate = /[\ud800-\udfff]/u;

interface Target {
  readonly path: string;
  readonly token?: string;
  readonly body: () => Record<string, unknown>;
}

describe('injection through bodies and queries', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let base: string;
  let databases: Databases;
  let users: TestUsers;
  let endpoints: Endpoint[];
  let targets: Record<string, () => Promise<Target>>;

  const unique = () => randomBytes(5).toString('hex');
  const admin = () => test.admin.token() ?? '';

  before(async () => {
    test = await sharedStack();
    base = test.stack.baseUrl;
    databases = await openDatabases(test.stack);
    users = new TestUsers(base, admin());
    // Preferences take any JSON object: they have no fields.
    endpoints = (await readEndpoints(base)).filter(
      (endpoint) => isIdentity(endpoint) && endpoint.hasJsonBody && !endpoint.path.endsWith('/preferences'),
    );
    targets = targetTable();
  });

  after(async () => {
    await databases?.close();
  });

  /** Targets of bodies, each with its own user, to isolate rows. */
  function targetTable(): Record<string, () => Promise<Target>> {
    const api = '/api/v1';
    const open = (path: string, body: Target['body']) => async () => ({ path: `${api}${path}`, body });
    const own = (path: string, body: (person: TestUser) => Record<string, unknown>) => async () => {
      const person = await users.signUp();
      return { path: `${api}${path}`, token: person.token, body: () => body(person) };
    };
    const staff = (path: string, body: Target['body']) => async () => {
      const { id: userId } = await users.create();
      const { id: roleId } = await users.createRole(['nodes.view']);
      const id = path.includes('/roles/') ? roleId : userId;
      return { path: `${api}${path.replace('{id}', id)}`, token: admin(), body };
    };
    const name = () => ({ email: `${unique()}@example.com`, username: `u${unique()}` });
    return {
      'POST /auth/login': open('/auth/login', () => ({ email: test.adminEmail, password: 'not this' })),
      'POST /auth/refresh': open('/auth/refresh', () => ({ refresh_token: 'x' })),
      'POST /auth/2fa/verify': open('/auth/2fa/verify', () => ({ token: 'x', code: '123456' })),
      'POST /auth/password/forgot': open('/auth/password/forgot', () => ({ email: `${unique()}@example.com` })),
      'POST /auth/password/reset': open('/auth/password/reset', () => ({ token: 'x'.repeat(43), password })),
      'POST /auth/logout': own('/auth/logout', () => ({})),
      'PUT /account': own('/account', () => ({ first_name: 'New' })),
      'PUT /account/password': own('/account/password', () => ({
        current_password: password,
        password: `p${unique()}`,
      })),
      'POST /account/2fa': own('/account/2fa', () => ({ password: 'not this one' })),
      'POST /account/2fa/confirm': own('/account/2fa/confirm', () => ({ code: '000000' })),
      'DELETE /account/2fa': own('/account/2fa', () => ({ password, code: '000000' })),
      'POST /account/ssh-keys': own('/account/ssh-keys', () => ({ name: 'laptop', public_key: 'ssh-ed25519 AAAA' })),
      'POST /account/api-keys': own('/account/api-keys', () => ({ description: 'a key' })),
      'POST /admin/users': staff('/admin/users', name),
      'PUT /admin/users/{id}': staff('/admin/users/{id}', () => ({ first_name: 'New' })),
      'POST /admin/roles': staff('/admin/roles', () => ({ name: `role ${unique()}` })),
      'PUT /admin/roles/{id}': staff('/admin/roles/{id}', () => ({ description: 'new' })),
    };
  }

  const nameOf = ({ method, path }: Endpoint) => `${method} ${path.replace('/api/v1', '')}`;
  const targetOf = async (endpoint: Endpoint): Promise<Target> => {
    const make = targets[nameOf(endpoint)];
    if (!make) throw new Error(`${nameOf(endpoint)} has no row`);
    return make();
  };
  const snapshot = async () => databases.snapshot('identity');
  const post = async ({ path, token }: Target, { method }: Endpoint, json: unknown): Promise<Answer> =>
    send(base, path, { method, token, json });

  function expectBounded(answer: Answer, told: string): void {
    expect(answer.status, told).to.be.below(500);
    expect(answer.ms, `${told}: ms`).to.be.below(maxMs);
  }

  /** Only differing rows, for readable failures. */
  function changedRows(before: Record<string, unknown>, after: Record<string, unknown>): unknown[] {
    const ids = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...ids].filter((id) => before[id] !== after[id]).map((id) => [before[id], after[id]]);
  }

  it('covers every request body of sign-in, account, users and roles', () => {
    expect(endpoints.map(nameOf).sort()).to.deep.equal(Object.keys(targets).sort());
  });

  it('refuses a value of another type in any field and changes nothing', async () => {
    let requests = 0;
    for (const endpoint of endpoints) {
      const target = await targetOf(endpoint);
      const before = await snapshot();
      for (const [field, schema] of Object.entries(endpoint.fields)) {
        const wrong = [...(isText(schema) ? nonStringValues : nonScalarValues), ...(isNullable(schema) ? [] : [null])];
        for (const value of wrong) {
          const told = `${nameOf(endpoint)} ${field}=${JSON.stringify(value)}`;
          const answer = await post(target, endpoint, { ...target.body(), [field]: value });
          requests += 1;
          expectBounded(answer, told);
          expect(answer.status, told).to.equal(422);
          const named = Object.keys(answer.body.error?.details ?? {});
          expect(
            named.some((name) => name.split('.')[0] === field),
            `${told}: ${answer.text}`,
          ).to.equal(true);
        }
      }
      expect(changedRows(before, await snapshot()), nameOf(endpoint)).to.deep.equal([]);
    }
    expect(requests).to.be.above(300);
  });

  it('refuses unknown members, __proto__ and constructor among them', async () => {
    for (const endpoint of endpoints) {
      const target = await targetOf(endpoint);
      const before = await snapshot();
      for (const member of extraMembers) {
        const body = `${JSON.stringify(target.body()).slice(0, -1)},${member}}`;
        const headers = { 'content-type': 'application/json' };
        const sent = { method: endpoint.method, token: target.token, body, headers };
        const answer = await send(base, target.path, sent);
        expectBounded(answer, `${nameOf(endpoint)} ${member}`);
        expect(answer.status, `${nameOf(endpoint)} ${member}`).to.be.oneOf([400, 422]);
      }
      expect(changedRows(before, await snapshot()), nameOf(endpoint)).to.deep.equal([]);
    }
    const { token } = await users.signUp();
    expect((await send(base, '/api/v1/admin/users', { token })).status, 'nobody became an admin').to.equal(403);
  });

  it('refuses malicious text in any field or stores it unchanged', async () => {
    for (const endpoint of endpoints) {
      for (const [field, schema] of Object.entries(endpoint.fields)) {
        if (!isText(schema)) continue;
        const target = await targetOf(endpoint);
        const refused: string[] = [];
        const told = (text: string) => `${nameOf(endpoint)} ${field}=${JSON.stringify(text.slice(0, 40))}`;
        let before = await snapshot();
        // Hashing a password costs 40 ms: those fields get only the worst texts.
        const texts = field.includes('password') ? maliciousTexts.slice(-7) : maliciousTexts;
        for (const text of texts) {
          const answer = await post(target, endpoint, { ...target.body(), [field]: text });
          expectBounded(answer, told(text));
          if (answer.status > 299) refused.push(text);
          else expectRetained(answer, field, text, told(text));
        }
        if (refused.length < texts.length) {
          before = await snapshot();
          for (const text of refused) await post(target, endpoint, { ...target.body(), [field]: text });
        }
        expect(changedRows(before, await snapshot()), `${nameOf(endpoint)} ${field}`).to.deep.equal([]);
      }
    }
  });

  /** Passwords are never shown and have another test; all else is answered unchanged. */
  function expectRetained(answer: Answer, field: string, text: string, told: string): void {
    expect(loneSurrogate.test(text), `${told}: half a character cannot be kept`).to.equal(false);
    if (field === 'password' || field === 'current_password') return;
    const retained = (answer.body.data as Record<string, unknown> | undefined)?.[field];
    expect(retained, `${told}: ${answer.text.slice(0, 200)}`).to.equal(text.trim());
  }

  it('compares every character of a password up to 1 KiB', async () => {
    const rows = ['long'.repeat(20), 'a\0bcdefghijk', 'пароль 🔑 и ещё немного', `${'abcd'.repeat(255)}wxyy`];
    for (const secret of rows) {
      const user = await users.create({ password: secret });
      const login = async (given: string) =>
        (await send(base, '/api/v1/auth/login', { json: { email: user.email, password: given } })).status;
      expect(await login(secret)).to.equal(200);
      expect(await login(`${secret.slice(0, -1)}z`), 'another last character').to.equal(401);
      if (secret.includes('\0')) expect(await login(secret.split('\0')[0] ?? ''), 'up to the NUL').to.equal(401);
    }
    const tooLong = { email: test.adminEmail, password: 'x'.repeat(1025) };
    const refuse = async () => expect((await send(base, '/api/v1/auth/login', { json: tooLong })).status).to.equal(422);
    expect(await quickestMs(refuse)).to.be.below(500);
  });

  describe('query parameters', () => {
    let lists: { path: string; queryNames: readonly string[] }[];

    before(async () => {
      const { id } = await users.signUp({ first_name: 'Dot.Star' });
      await users.createApiKey(admin(), { description: 'a.*b' });
      lists = (await readEndpoints(base))
        .filter(({ method, queryNames }) => method === 'GET' && queryNames.includes('per_page'))
        .map(({ path, queryNames }) => ({ path: path.replace('/admin/users/{id}', `/admin/users/${id}`), queryNames }))
        .filter(({ path }) => !path.includes('{'));
      expect(lists.length).to.be.above(10);
    });

    const get = async (path: string, query: string) => send(base, `${path}?${query}`, { token: admin() });

    it('answers 422 naming the parameter for pages that are not integers within bounds', async () => {
      const rows: readonly [parameter: string, values: readonly string[]][] = [
        ['per_page', ['101', '0', '-1', '1e9', '2.5', 'abc', 'NaN', 'Infinity', '0x10', '+5', '\0', '١']],
        ['page', ['0', '-1', '9007199254740993', '1e308', 'NaN', '1.0', '1;2', ' ']],
      ];
      for (const { path } of lists) {
        for (const [parameter, values] of rows) {
          await forEach(values, async (value) => {
            const answer = await get(path, `${parameter}=${encodeURIComponent(value)}`);
            expectBounded(answer, `${path} ${parameter}=${value}`);
            expect(answer.status, `${path} ${parameter}=${value}`).to.equal(422);
            expect(answer.body.error?.details).to.have.property(parameter);
          });
        }
        const beyond = await get(path, 'page=1000000&per_page=100');
        expect(beyond.status, path).to.equal(200);
        expect(beyond.body.data, `${path}: past the end`).to.deep.equal([]);
      }
    });

    it('sorts by documented fields only', async () => {
      const names = ['password_hash', 'passwordHash', '-passwordHash', 'twoFactor.secret', '$where', '__proto__'];
      const more = [
        'constructor',
        '-hash',
        'adminToken',
        'created_at,hash',
        '{"$gt":1}',
        '--created_at',
        ' created_at',
      ];
      for (const { path, queryNames } of lists) {
        if (!queryNames.includes('sort')) continue;
        await forEach([...names, ...more, 'x'.repeat(201)], async (name) => {
          const answer = await get(path, `sort=${encodeURIComponent(name)}`);
          expectBounded(answer, `${path} sort=${name}`);
          expect(answer.status, `${path} sort=${name}`).to.equal(422);
        });
      }
    });

    it('searches for literal text, not for patterns', async () => {
      const patterns = ['.*', '^', '$', '(a+)+$', '[a-z]', '\\', '\\w', '%', '*', '|', '(?=a)', '{"$ne":1}', '\u0000'];
      const long = ['a'.repeat(100), '(a+)+$'.repeat(16), '🔥'.repeat(50)];
      const tooLong = ['a'.repeat(101), 'x'.repeat(8_000)];
      for (const { path, queryNames } of lists) {
        if (!queryNames.includes('search')) continue;
        await forEach([...patterns, ...long], async (text) => {
          const answer = await get(path, `search=${encodeURIComponent(text)}`);
          const told = `${path} search=${JSON.stringify(text.slice(0, 30))}`;
          expectBounded(answer, told);
          expect(answer.status, told).to.be.oneOf([200, 422]);
          if (answer.status === 200) expectLiteral(answer, text, told);
        });
        for (const text of tooLong) expect((await get(path, `search=${text}`)).status, path).to.equal(422);
      }
      const found = await get('/api/v1/admin/users', 'search=dot.star');
      expect((found.body.data as { first_name: string }[]).map((user) => user.first_name)).to.deep.equal(['Dot.Star']);
    });

    /** Some lists do not search by name; those that do return matches only. */
    function expectLiteral({ body }: Answer, text: string, told: string): void {
      for (const item of body.data as object[]) {
        if (!('username' in item) && !('name' in item)) continue;
        const shown = JSON.stringify(Object.values(item)).toLowerCase();
        const wanted = JSON.stringify(text.toLowerCase()).slice(1, -1);
        expect(shown.includes(wanted), `${told} found ${shown.slice(0, 200)}`).to.equal(true);
      }
    }

    it('refuses unknown parameters and operators in brackets', async () => {
      const unknown = ['search[$ne]=', 'search[$regex]=.*', 'filter[role]=admin', 'where=1', '$where=sleep(5000)'];
      const more = [
        '__proto__[isAdmin]=1',
        'constructor[prototype][x]=1',
        'role_id[$ne]=x',
        'sort[$gt]=',
        'type=admin',
      ];
      for (const { path } of lists) {
        const plain = shapeOf(await get(path, 'per_page=100'));
        await forEach([...unknown, ...more], async (query) => {
          const answer = await get(path, `per_page=100&${query}`);
          expectBounded(answer, `${path} ${query}`);
          expect(answer.status, `${path} ${query}`).to.equal(422);
        });
        expect(shapeOf(await get(path, 'per_page=100')), path).to.deep.equal(plain);
      }
    });

    /** Ids and total, because times of last use change. */
    function shapeOf({ status, body }: Answer): unknown {
      const items = (body.data ?? []) as { id?: string }[];
      const isMoving = items.some((item) => 'event' in item);
      return { status, ids: isMoving ? [] : items.map(({ id }) => id), total: isMoving ? 0 : body.meta?.['total'] };
    }

    it('refuses a parameter given twice', async () => {
      for (const { path, queryNames } of lists) {
        for (const name of queryNames) {
          const answer = await get(path, `${name}=1&${name}=2`);
          expect(answer.status, `${path} ${name}`).to.equal(422);
        }
      }
    });

    it('refuses filters that are no ids', async () => {
      for (const value of ['{"$ne":""}', 'admin', '$where', '../', '\u0000', 'x'.repeat(5_000)]) {
        const answer = await get('/api/v1/admin/users', `role_id=${encodeURIComponent(value)}`);
        expectBounded(answer, value);
        expect(answer.status, value).to.equal(422);
      }
    });

    it('answers 404 for malformed ids in paths', async () => {
      const ids = [
        '1',
        '[object%20Object]',
        '%7B%22$ne%22:1%7D',
        '..%2f..%2fadmin',
        '%00',
        'x'.repeat(3_000),
        '%E0%A4%A',
      ];
      for (const id of ids) {
        for (const path of ['/api/v1/admin/users/', '/api/v1/admin/roles/', '/api/v1/account/api-keys/']) {
          const method = path.includes('account') ? 'DELETE' : 'GET';
          const answer = await send(base, `${path}${id}`, { method, token: admin() });
          expect(answer.status, `${path}${id.slice(0, 20)}`).to.be.oneOf([400, 404]);
        }
      }
    });
  });

  it('shows no API key in lists', async () => {
    const { key } = await users.createApiKey(admin(), { description: 'shown once' });
    const list = await dataOf<Record<string, unknown>[]>(base, '/api/v1/account/api-keys', { token: admin() });
    expect(JSON.stringify(list)).not.to.contain(key.slice(0, 20));
    expect(Object.keys(list[0] ?? {})).not.to.include.members(['key', 'hash']);
  });
});
