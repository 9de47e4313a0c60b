import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame } from '../../support/game.js';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { type Databases, openDatabases } from '../../security/support/database.js';
import { privilegedMembers } from '../../security/support/malicious-input.js';
import { currentStep, password, TestUsers, type TestUser, totpCode } from '../../security/support/users.js';
import { type Answer, dataOf, forEach, send } from '../../security/support/requests.js';
import { type Endpoint, readEndpoints, roleIds, withRandomIds } from '../../security/support/route-table.js';
import { openedOrStatus } from '../../security/support/upgrades.js';

/* CVE-2026-5652, CVE-2025-64421, and the reach of a user who must set up a second factor. */
describe('permissions', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let base: string;
  let databases: Databases;
  let users: TestUsers;
  let roles: Record<string, string>;
  let endpoints: Endpoint[];

  before(async () => {
    test = await sharedStack();
    base = test.stack.baseUrl;
    databases = await openDatabases(test.stack);
    users = new TestUsers(base, test.admin.token() ?? '');
    roles = await roleIds(base, users.adminToken);
    endpoints = await readEndpoints(base);
  });

  after(async () => {
    await databases?.close();
  });

  const ask = async (token: string, request: string, json?: object): Promise<Answer> => {
    const [method = '', path = ''] = request.split(' ');
    return send(base, `/api/v1${path}`, { method, token, json });
  };

  /** All must be refused with one of these, without a database change. */
  async function expectRefused(
    requests: readonly (readonly [token: string, request: string, json?: object])[],
    statuses: readonly number[],
  ): Promise<void> {
    const before = await databases.snapshot('identity');
    await forEach(requests, async ([token, request, json]) => {
      const answer = await ask(token, request, json);
      expect(answer.status, `${request} ${JSON.stringify(json)}: ${answer.text}`).to.be.oneOf([...statuses]);
    });
    expect(await databases.snapshot('identity')).to.deep.equal(before);
  }

  describe('privileged members in bodies', () => {
    it('ignores privileged members through the own account', async () => {
      const custom = await users.createRole(['users.*', 'roles.*']);
      for (const roleId of [roles['user'], roles['moderator'], custom.id]) {
        const person = await users.signUp({ role_id: roleId });
        const { key } = await users.createApiKey(person.token);
        for (const token of [person.token, key]) {
          const requests = Object.entries({
            ...privilegedMembers,
            role_id: roles['admin'],
            permissions: ['*'],
          }).flatMap(([name, value]) => [
            [token, 'PUT /account', { first_name: 'New', [name]: value }] as const,
            [
              token,
              'PUT /account/password',
              { current_password: password, password: 'a new long one', [name]: value },
            ] as const,
            [token, 'POST /account/2fa', { password, [name]: value }] as const,
            ...(name === 'permissions'
              ? []
              : [[token, 'POST /account/api-keys', { description: 'x', [name]: value }] as const]),
          ]);
          await expectRefused(requests, [422]);
        }
      }
    });

    it('ignores privileged members through users and roles', async () => {
      const custom = await users.createRole(['users.*', 'roles.*']);
      const keeper = await users.signUp({ role_id: custom.id });
      const { id } = await users.create();
      const own = await users.createRole([]);
      const requests = Object.entries(privilegedMembers).flatMap(([name, value]) => [
        [keeper.token, `PUT /admin/users/${id}`, { first_name: 'New', [name]: value }] as const,
        [keeper.token, 'POST /admin/users', { email: 'new@example.com', username: 'new', [name]: value }] as const,
        [keeper.token, `PUT /admin/roles/${own.id}`, { description: 'new', [name]: value }] as const,
        [keeper.token, 'POST /admin/roles', { name: 'new', [name]: value }] as const,
      ]);
      await expectRefused(requests, [422]);
    });

    it('ignores privileged members through login', async () => {
      const { email } = await users.create({ password });
      const before = await databases.snapshot('identity');
      for (const [name, value] of Object.entries({ ...privilegedMembers, remember: true })) {
        const { status } = await send(base, '/api/v1/auth/login', { json: { email, password, [name]: value } });
        expect(status, name).to.equal(422);
      }
      expect(await databases.snapshot('identity')).to.deep.equal(before);
    });
  });

  describe('grants beyond the own permissions', () => {
    let keeper: TestUser;
    let subset: string;
    let custom: { id: string };
    let victim: { id: string };
    let adminKey: { id: string };

    before(async () => {
      custom = await users.createRole(['users.*', 'roles.*']);
      keeper = await users.signUp({ role_id: custom.id });
      ({ key: subset } = await users.createApiKey(users.adminToken, { permissions: ['users.*', 'roles.*'] }));
      victim = await users.create({ password });
      adminKey = await users.createApiKey(users.adminToken);
    });

    const escalations = (token: string): [string, string, object?][] => [
      [token, 'POST /admin/users', { email: 'x@example.com', username: 'x', role_id: roles['admin'] }],
      [token, 'POST /admin/users', { email: 'x@example.com', username: 'x', role_id: roles['moderator'] }],
      [token, `PUT /admin/users/${keeper.id}`, { role_id: roles['admin'] }],
      [token, `PUT /admin/users/${victim.id}`, { role_id: roles['admin'] }],
      [token, `PUT /admin/users/${victim.id}`, { role_id: roles['moderator'] }],
      [token, `PUT /admin/users/${test.adminId}`, { password: 'taken over by me' }],
      [token, `PUT /admin/users/${test.adminId}`, { email: 'mine@example.com' }],
      [token, `PUT /admin/users/${test.adminId}`, { role_id: roles['user'] }],
      [token, `DELETE /admin/users/${test.adminId}`],
      [token, `DELETE /admin/users/${test.adminId}/sessions`],
      [token, `DELETE /admin/users/${test.adminId}/2fa`],
      [token, `GET /admin/users/${test.adminId}/api-keys`],
      [token, `GET /admin/users/${test.adminId}/sessions`],
      [token, `DELETE /admin/users/${test.adminId}/api-keys/${adminKey.id}`],
      ...[['*'], ['settings.update'], ['servers.*'], ['users.view', 'nodes.view']].flatMap(
        (permissions): [string, string, object][] => [
          [token, 'POST /admin/roles', { name: `more ${permissions.join()}`, permissions }],
          [token, `PUT /admin/roles/${custom.id}`, { permissions }],
          [token, 'POST /account/api-keys', { description: 'more', permissions }],
        ],
      ),
    ];

    it('refuses grants beyond a custom role through users, roles and keys', async () =>
      expectRefused(escalations(keeper.token), [403]));

    it('refuses grants beyond an administrator’s API key with a subset', async () =>
      expectRefused(escalations(subset), [403]));

    it('refuses to change or delete system roles', async () => {
      const requests = Object.values(roles).flatMap((id): [string, string, object?][] => [
        [users.adminToken, `PUT /admin/roles/${id}`, { permissions: ['*'] }],
        [users.adminToken, `PUT /admin/roles/${id}`, { rate_limit_multiplier: 100 }],
        [users.adminToken, `DELETE /admin/roles/${id}`],
      ]);
      await expectRefused(requests, [409]);
      await expectRefused([[users.adminToken, `DELETE /admin/roles/${custom.id}`]], [409]);
    });

    it('refuses grants by a key created by a key', async () => {
      const list = ['account.api-keys', 'roles.*', 'users.*'];
      const parent = await users.createApiKey(users.adminToken, { permissions: list });
      const { key, id } = await dataOf<{ key: string; id: string }>(base, '/api/v1/account/api-keys', {
        token: parent.key,
        json: { description: 'child' },
      });
      const stored = await databases.collection('identity', 'api_keys').findOne({ _id: id });
      expect(stored?.['permissions']).to.deep.equal(list);
      expect((await ask(key, 'GET /admin/settings')).status).to.equal(403);
    });

    it('refuses grants by a key created by a key that may not manage keys', async () => {
      const json = { description: 'child' };
      expect((await send(base, '/api/v1/account/api-keys', { token: subset, json })).status).to.equal(403);
    });

    it('refuses grants by a moderator, who only reads', async () => {
      const { token } = await users.signUp({ role_id: roles['moderator'] });
      const requests: [string, string, object?][] = [
        ...escalations(token).filter(([, request]) => !request.includes('/account/')),
        [token, `PUT /admin/users/${victim.id}`, { first_name: 'New' }],
        [token, `DELETE /admin/users/${victim.id}`],
        [token, 'GET /admin/settings'],
        [token, 'GET /admin/roles'],
      ];
      await expectRefused(requests, [403]);
      expect((await ask(token, `GET /admin/users/${victim.id}`)).status).to.equal(200);
    });
  });

  it('answers 404 for API keys and sessions of other users', async () => {
    const [owner, other] = [await users.signUp(), await users.signUp()];
    const { id } = await users.createApiKey(owner.token);
    const sessions = await dataOf<{ id: string }[]>(base, '/api/v1/account/sessions', { token: owner.token });
    const before = await databases.snapshot('identity');
    for (const path of [`/account/api-keys/${id}`, `/account/sessions/${sessions[0]?.id}`]) {
      const real = await ask(other.token, `DELETE ${path}`);
      const unknown = await ask(other.token, `DELETE ${withRandomIds(path.replace(/[^/]+$/, '{id}'))}`);
      expect([real.status, real.text]).to.deep.equal([404, unknown.text]);
    }
    expect(await databases.snapshot('identity')).to.deep.equal(before);
    const lists = await Promise.all(
      ['api-keys', 'sessions', 'activity'].map(async (name) => (await ask(other.token, `GET /account/${name}`)).text),
    );
    expect(lists.join()).not.to.contain(owner.id).and.not.contain(id);
  });

  describe('user who must set up a second factor', () => {
    let serverId: string;
    let person: TestUser;
    let staff: TestUser;
    let key: string;

    before(async () => {
      ({ id: serverId } = await createGame(test));
      // The administrator must set one up too, and can withdraw the requirement.
      await users.enableTwoFactor({ token: users.adminToken }, test.password);
    });
    beforeEach(async () => {
      await demand('none');
      const viewer = await users.createRole(['servers.view', 'users.view']);
      [person, staff] = [await users.signUp(), await users.signUp({ role_id: viewer.id })];
      await waitUntil('identity to know of it', async () => (await ask(person.token, 'GET /servers')).status === 200);
      ({ key } = await users.createApiKey(staff.token));
      await demand('all');
      await waitUntil('identity to know of it', async () => (await ask(person.token, 'GET /servers')).status === 403);
    });
    after(async () => demand('none'));

    const demand = async (whom: string) => {
      await dataOf(base, '/api/v1/admin/settings', {
        method: 'PUT',
        token: users.adminToken,
        json: { security: { require_2fa: whom } },
      });
    };
    const refusedWith = ({ status, body }: Answer) => `${status} ${String(body.error?.details['reason'])}`;

    /** All else is refused. */
    const setUp = new Set([
      'GET /api/v1/account',
      'POST /api/v1/account/2fa',
      'POST /api/v1/account/2fa/confirm',
      'POST /api/v1/auth/logout',
    ]);

    it('reaches only the endpoints for setting it up', async () => {
      const before = await databases.snapshot('identity');
      let tried = 0;
      for (const { method, path, access } of endpoints) {
        if (access.kind === 'public') continue;
        const name = `${method} ${path}`;
        if (setUp.has(name)) continue;
        await forEach([person.token, staff.token, key], async (token) => {
          const real = path.replace('/servers/{id}', `/servers/${serverId}`);
          const json = method === 'POST' || method === 'PUT' ? {} : undefined;
          const answer = await send(base, withRandomIds(real), { method, token, json });
          tried += 1;
          expect(refusedWith(answer), name).to.equal('403 two_factor_required');
        });
      }
      expect(tried).to.be.above(200);
      expect(await openedOrStatus(base, `/api/v1/servers/${serverId}/ws`, { authorization: `Bearer ${key}` })).to.equal(
        403,
      );
      expect(await databases.snapshot('identity')).to.deep.equal(before);
      expect((await ask(person.token, 'GET /account')).status).to.equal(200);
    });

    it('reaches everything after setting it up, also with older API keys', async () => {
      await users.enableTwoFactor(staff);
      expect((await ask(staff.token, 'GET /admin/users')).status).to.equal(200);
      expect((await ask(key, 'GET /admin/users')).status).to.equal(200);
      expect((await ask(person.token, 'GET /servers')).status, 'the other one still owes it').to.equal(403);
    });

    it('requires the second factor again after it is disabled', async () => {
      const factor = await users.enableTwoFactor(person);
      expect((await ask(person.token, 'GET /servers')).status).to.equal(200);
      const json = { password, code: totpCode(factor.secret, Math.max(factor.step, currentStep()) + 1) };
      expect((await ask(person.token, 'DELETE /account/2fa', json)).status).to.equal(204);
      expect((await ask(person.token, 'GET /servers')).status).to.equal(403);
    });

    it('treats the user as an administrator only when the setting says so', async () => {
      await demand('admins');
      await waitUntil('identity to know of it', async () => (await ask(person.token, 'GET /servers')).status === 200);
      const helper = await users.signUp({ role_id: roles['moderator'] });
      expect(refusedWith(await ask(helper.token, 'GET /servers'))).to.equal('403 two_factor_required');
      await demand('none');
      await waitUntil('identity to know of it', async () => (await ask(helper.token, 'GET /servers')).status === 200);
    });
  });
});
