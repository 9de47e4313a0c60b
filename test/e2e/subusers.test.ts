import { randomUUID } from 'node:crypto';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { serverPermissions } from '@panel/protos/permissions';
import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { createServer, importEgg } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';
import { type TestUser, TestUsers } from './security/support/users.js';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  /** One of these is needed; none: any access to the server. */
  readonly permissions: readonly string[];
}

/** Leaving ends the access that the matrix is about. */
const leaving = 'DELETE /api/v1/servers/{id}/access';

describe('subusers', function () {
  this.timeout(240_000);
  let test: TestStack;
  let users: TestUsers;
  let owner: TestUser;
  let guest: TestUser;
  let serverId: string;
  let subuserId: string;
  let endpoints: Endpoint[];

  const clientOf = (user: TestUser): PanelClient =>
    createPanelClient({ baseUrl: test.stack.baseUrl, token: user.token });
  const call = async (user: TestUser, method: string, path: string, json?: object) => {
    const response = await fetch(`${test.stack.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${user.token}`, ...(json && { 'content-type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const subusers = () => `/api/v1/servers/${serverId}/subusers`;
  const grant = async (json: object) => {
    const { status, text } = await call(owner, 'PUT', `${subusers()}/${subuserId}`, json);
    expect(status, text).to.equal(200);
  };

  before(async () => {
    test = await bootStack({ INVITATION_CHECK_INTERVAL: '200ms' });
    users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
    [owner, guest] = await Promise.all([users.signUp(), users.signUp()]);
    const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
    ({ id: serverId } = await createServer(test, eggId, { memory: 128, user_id: owner.id }));
    const body = { email: guest.email, permissions: ['file.read' as const] };
    const { data } = await clientOf(owner).post('/servers/{id}/subusers', { params: { id: serverId }, body });
    subuserId = data.id;
    const document = (await (await fetch(`${test.stack.baseUrl}/api/v1/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { 'x-access': { kind: string; permissions?: string[] }; 'x-websocket'?: object }>
      >;
    };
    endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const { kind, permissions = [] } = operation['x-access'];
        const isMeasured = kind === 'server' && !('x-websocket' in operation);
        return isMeasured ? [{ method: method.toUpperCase(), path, permissions }] : [];
      }),
    );
  });
  after(async () => test?.stop());

  it('open with each permission alone exactly its endpoints', async () => {
    expect(endpoints.length).to.be.above(40);
    const check = async (key: string, { method, path, permissions }: Endpoint) => {
      if (`${method} ${path}` === leaving) return;
      const real = path.replace('{id}', serverId).replace(/\{[^}]+\}/g, () => randomUUID());
      const json = method === 'POST' || method === 'PUT' ? {} : undefined;
      const { status, text } = await call(guest, method, real, json);
      const described = `${method} ${path} with ${key}: ${status} ${text.slice(0, 200)}`;
      expect(status, described).not.to.be.oneOf([401, 500, 501]);
      const isOpen = permissions.length === 0 || permissions.includes(key);
      if (!isOpen) expect(status, described).to.equal(403);
      // Where there are several, the body decides which one is needed.
      else if (permissions.length <= 1) expect(status, described).not.to.equal(403);
    };
    for (const key of serverPermissions) {
      await grant({ permissions: [key] });
      for (const endpoint of endpoints) await check(key, endpoint);
    }
  });

  it('show shared servers in the list, with what the caller may do there', async () => {
    await grant({ role: 'viewer' });
    const { data } = await clientOf(guest).get('/servers');
    expect(data.map(({ id, is_owner }) => [id, is_owner])).to.deep.equal([[serverId, false]]);
    expect(data[0]?.permissions).to.include('file.read').and.not.include('file.update');
    const { data: own } = await clientOf(owner).get('/servers');
    expect(own[0]).to.deep.include({ is_owner: true, permissions: ['*'] });
  });

  it('cannot raise themselves, by whatever field or id', async () => {
    await grant({ permissions: ['user.create', 'user.read', 'user.update', 'user.delete', 'file.read'] });
    const self = `${subusers()}/${subuserId}`;
    const other = await users.create();
    const attempts: [string, string, string, object | undefined, number][] = [
      ['more permissions for oneself', 'PUT', self, { permissions: ['file.delete'] }, 403],
      ['a role for oneself', 'PUT', self, { role: 'developer' }, 403],
      ['removing oneself as another', 'DELETE', self, undefined, 403],
      ['more for a friend', 'POST', subusers(), { email: other.email, permissions: ['file.delete'] }, 403],
      ['a role for a friend', 'POST', subusers(), { email: other.email, role: 'operator' }, 403],
      ['everything', 'POST', subusers(), { email: other.email, permissions: ['*'] }, 422],
      ['nothing', 'POST', subusers(), { email: other.email, permissions: [] }, 422],
      ['both', 'POST', subusers(), { email: other.email, permissions: ['file.read'], role: 'viewer' }, 422],
      ['the owner', 'POST', subusers(), { email: owner.email, permissions: ['file.read'] }, 409],
      ['another owner', 'PUT', self, { user_id: guest.id }, 422],
      ['a status', 'POST', subusers(), { email: other.email, permissions: ['file.read'], status: 'active' }, 422],
      ['an operator', 'PUT', self, { permissions: { $each: ['file.read'] } }, 422],
      ["the owner's id", 'PUT', `${subusers()}/${owner.id}`, { permissions: ['file.read'] }, 404],
      ['a role of others', 'PUT', `/api/v1/servers/${serverId}/subuser-roles/${randomUUID()}`, { name: 'x' }, 404],
      ['another server', 'GET', `/api/v1/servers/${randomUUID()}/subusers`, undefined, 404],
    ];
    for (const [name, method, path, json, expected] of attempts) {
      const { status, text } = await call(guest, method, path, json);
      expect(status, `${name}: ${text}`).to.equal(expected);
    }
    const { data } = await clientOf(owner).get('/servers/{id}/subusers', { params: { id: serverId } });
    expect(data).to.have.lengthOf(1);
  });

  it('write only where their path rules allow it', async () => {
    await grant({
      permissions: ['file.read', 'file.read-content', 'file.create', 'file.update', 'file.delete'],
      path_rules: [
        { path: '/', access: 'read_only' },
        { path: '/plugins', access: 'allow' },
      ],
    });
    const write = async (path: string) =>
      (await call(guest, 'PUT', `/api/v1/servers/${serverId}/files/write`, { path, content: 'x' })).status;
    expect(await write('/plugins/new.txt')).to.equal(200);
    expect(await write('/new.txt')).to.equal(403);
    const remove = { root: '/', files: ['plugins'] };
    expect(
      (await call(owner, 'PUT', `/api/v1/servers/${serverId}/files/write`, { path: '/mine.txt', content: 'x' })).status,
    ).to.equal(200);
    const removed = await call(guest, 'POST', `/api/v1/servers/${serverId}/files/delete`, {
      root: '/',
      files: ['mine.txt'],
    });
    expect(removed.status).to.equal(403);
    expect((await call(guest, 'POST', `/api/v1/servers/${serverId}/files/delete`, remove)).status).to.equal(200);
    await grant({ path_rules: [{ path: '/mine.txt', access: 'deny' }] });
    const { data } = await clientOf(guest).get('/servers/{id}/files/list', {
      params: { id: serverId },
      query: { directory: '/' },
    });
    expect(data.map(({ name }) => name)).not.to.include('mine.txt');
    await grant({ path_rules: [] });
  });

  it('become subusers when the invited address has an account', async () => {
    const email = `later-${randomUUID().slice(0, 8)}@example.com`;
    const body = { email, role: 'viewer' };
    const { data } = await clientOf(owner).post('/servers/{id}/subusers', { params: { id: serverId }, body });
    expect(data).to.deep.include({ status: 'invited', user: { id: null, email, username: null } });
    const later = await users.signUp({ email });
    await waitUntil('access', async () => (await clientOf(later).get('/servers')).data.length === 1);
    const { data: all } = await clientOf(owner).get('/servers/{id}/subusers', { params: { id: serverId } });
    expect(all.find(({ id }) => id === data.id)).to.deep.include({ status: 'active' });
    await test.admin.delete('/admin/users/{id}', { params: { id: later.id } });
    await waitUntil('the removal', async () => {
      const { data: left } = await clientOf(owner).get('/servers/{id}/subusers', { params: { id: serverId } });
      return left.every(({ id }) => id !== data.id);
    });
  });

  it('lose their console within five seconds, and everything else on the next request', async () => {
    await grant({ permissions: ['websocket.connect', 'file.read'] });
    const first = await clientOf(guest).openConsole(serverId);
    const narrowedAt = performance.now();
    await grant({ permissions: ['file.read'] });
    expect((await first.closed).code).to.equal(4403);
    expect(performance.now() - narrowedAt).to.be.below(5_000);
    await grant({ permissions: ['websocket.connect'] });
    const second = await clientOf(guest).openConsole(serverId);
    const removedAt = performance.now();
    await clientOf(owner).delete('/servers/{id}/subusers/{subuser-id}', {
      params: { id: serverId, subuser_id: subuserId },
    });
    expect((await call(guest, 'GET', `/api/v1/servers/${serverId}`)).status).to.equal(404);
    expect((await second.closed).code).to.equal(4403);
    expect(performance.now() - removedAt).to.be.below(5_000);
    const random = await call(guest, 'GET', `/api/v1/servers/${randomUUID()}`);
    expect(await call(guest, 'GET', `/api/v1/servers/${serverId}`)).to.deep.equal(random);
  });
});
