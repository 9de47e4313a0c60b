import { randomUUID } from 'node:crypto';
import { ApiError, type ConsoleMessage, type ConsoleSocket, createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { serverPermissions } from '@panel/protos/permissions';
import { readEgg } from '@panel/stack';
import { readTestConfig } from '@panel/testing';
import { expect } from 'chai';
import { createServer, importEgg, power, startGame, untilStatus } from './support/game.js';
import { createServerChildren, createServerRequests } from './support/server-requests.js';
import { bootStack, type TestStack } from './support/stack.js';
import { type TestUser, TestUsers } from './security/support/users.js';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  /** One of these is needed; empty: any access to the server. */
  readonly permissions: readonly string[];
}

/** What opens nothing that needs `key`: by day all others together, by night also each of them alone. */
function setsWithout(key: string): (readonly string[])[] {
  const others = serverPermissions.filter((one) => one !== key);
  return readTestConfig().isLong ? [others, ...others.map((one) => [one])] : [others];
}

/** Leaving ends the tested access. */
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
    test = await bootStack(
      { INVITATION_CHECK_INTERVAL: '200ms', RATE_LIMIT_BACKUP: '1000', RATE_LIMIT_UPLOAD: '1000' },
      { gateways: 2 },
    );
    users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
    [owner, guest] = await Promise.all([users.signUp(), users.signUp()]);
    const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
    ({ id: serverId } = await createServer(test, eggId, {
      memory: 128,
      user_id: owner.id,
      backups_limit: 3,
      allocations_limit: 4,
    }));
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

  /** Waits for the preceding request's effects, then starts or stops the server as needed. */
  const prepare = async (isForRunning: boolean) => {
    const client = clientOf(owner);
    const of = { params: { id: serverId } };
    let status = '';
    await waitUntil('the end of operations', async () => {
      ({ status } = (await client.get('/servers/{id}', of)).data);
      return ['offline', 'running'].includes(status);
    });
    await waitUntil('the end of backups', async () =>
      (await client.get('/servers/{id}/backups', of)).data.every(({ status }) => status !== 'pending'),
    );
    if (isForRunning && status === 'offline') await startGame(client, serverId);
    if (isForRunning || status === 'offline') return;
    await power(client, serverId, 'kill');
    await untilStatus(client, serverId, 'offline');
  };

  it('opens with each permission alone exactly its endpoints', async () => {
    const requests = createServerRequests(await createServerChildren(test, users, owner, serverId));
    const doors = endpoints.flatMap((endpoint) => {
      const name = `${endpoint.method} ${endpoint.path}`;
      const short = name.replace('/api/v1/servers/{id}', '');
      if (name === leaving) return [];
      const listed = requests[short];
      if (!listed) throw new Error(`add ${short} to support/server-requests.ts`);
      return listed.map((request) => {
        const permissions = request.permission === undefined ? endpoint.permissions : [request.permission];
        expect(endpoint.permissions, name).to.include.members(permissions);
        expect(permissions.length, `${name}: which permission`).to.be.below(2);
        return { ...endpoint, ...request, name, permissions };
      });
    });
    const opened = new Set<string>();
    const knock = async (held: readonly string[], door: (typeof doors)[number], isWhole = door.also === undefined) => {
      const { permissions, query, json, child } = door;
      const isOpen = isWhole && (permissions.length === 0 || permissions.some((one) => held.includes(one)));
      if (isOpen && door.method !== 'GET') await prepare(door.isForRunning === true);
      const path = door.path.replace('{id}', serverId).replace(/\{[^}]+\}/, () => child || randomUUID());
      const search = query ? `?${new URLSearchParams(query).toString()}` : '';
      const { status, text } = await call(guest, door.method, `${path}${search}`, json);
      const described = `${door.name} ${JSON.stringify(json)} with ${held.join()}: ${status} ${text.slice(0, 200)}`;
      if (!isOpen) expect(status, described).to.equal(403);
      else if (door.status === undefined) expect(status, described).to.be.within(200, 299);
      else expect(status, described).to.equal(door.status);
      if (isOpen) opened.add(door.name);
    };
    const free = doors.filter(({ permissions }) => permissions.length === 0);
    for (const key of serverPermissions) {
      const needing = doors.filter(({ permissions }) => permissions.includes(key));
      // The refused ones first, while their objects exist.
      for (const held of setsWithout(key)) {
        await grant({ permissions: held });
        for (const door of needing) await knock(held, door);
      }
      await grant({ permissions: [key] });
      for (const door of [...free, ...needing]) await knock([key], door);
    }
    for (const door of doors) {
      const [key] = door.permissions;
      if (door.also === undefined || key === undefined) continue;
      await grant({ permissions: [key, ...door.also] });
      await knock([key], door, true);
    }
    await prepare(false);
    expect(opened.size).to.equal(endpoints.length - 1);
  });

  it('refuses callers without the permission before they learn whether a request is valid', async () => {
    await grant({ permissions: ['file.sftp'] });
    for (const { method, path, permissions } of endpoints) {
      if (permissions.length === 0) continue;
      const real = path.replace('{id}', serverId).replace(/\{[^}]+\}/g, () => randomUUID());
      const json = method === 'POST' || method === 'PUT' ? { nonsense: true } : undefined;
      const { status, text } = await call(guest, method, real, json);
      expect(status, `${method} ${path}: ${text}`).to.equal(403);
    }
  });

  it('opens a console with websocket.connect alone', async () => {
    for (const permissions of [...setsWithout('websocket.connect'), ['websocket.connect']]) {
      await grant({ permissions });
      const isOpen = permissions.includes('websocket.connect');
      const { status, text } = await call(guest, 'GET', `/api/v1/servers/${serverId}/console`);
      expect(status, `${permissions.join()}: ${text}`).to.equal(isOpen ? 200 : 403);
      const opening = clientOf(guest).openConsole(serverId);
      const socket = await opening.catch((error: unknown) => error);
      expect(socket instanceof Error, permissions.join()).to.equal(!isOpen);
      if (!(socket instanceof Error)) await (await opening).close();
    }
  });

  it('sends to a console only what the subuser holds the permission for', async () => {
    const messages = [
      { permission: 'control.console', message: { type: 'command', command: 'say through the socket' } },
      { permission: 'control.start', message: { type: 'power', action: 'start' } },
      { permission: 'control.stop', message: { type: 'power', action: 'stop' } },
      { permission: 'control.stop', message: { type: 'power', action: 'kill' } },
      { permission: 'control.restart', message: { type: 'power', action: 'restart' } },
    ] as const;
    for (const { permission: held, message: allowed } of messages) {
      await grant({ permissions: ['websocket.connect', held] });
      await prepare(held !== 'control.start');
      const socket = await clientOf(guest).openConsole(serverId);
      for (const { permission, message } of messages) {
        if (permission === held) continue;
        const ref = randomUUID();
        socket.send({ ...message, ref });
        const error = await socket.next('error', { where: (received) => received.ref === ref });
        expect(error.code, `${JSON.stringify(message)} with ${held}`).to.equal('forbidden');
      }
      const first = socket.messages.length;
      socket.send(allowed);
      const effect =
        allowed.type === 'command'
          ? (received: ConsoleMessage) =>
              received.type === 'console_output' && received.message.includes('[say] through the socket')
          : (received: ConsoleMessage) => received.type === 'status';
      await waitUntil(`what ${JSON.stringify(allowed)} does`, () => socket.messages.slice(first).some(effect));
      expect(socket.messages.slice(first).filter(({ type }) => type === 'error')).to.deep.equal([]);
      await socket.close();
    }
    await prepare(false);
  });

  it('shows shared servers in the list, with what the caller may do there', async () => {
    await grant({ role: 'viewer' });
    const { data } = await clientOf(guest).get('/servers');
    expect(data.map(({ id, is_owner }) => [id, is_owner])).to.deep.equal([[serverId, false]]);
    expect(data[0]?.permissions).to.include('file.read').and.not.include('file.update');
    const { data: own } = await clientOf(owner).get('/servers');
    expect(own[0]).to.deep.include({ is_owner: true, permissions: ['*'] });
  });

  it('lets no subuser raise themselves, by whatever field or id', async () => {
    await grant({ permissions: ['user.create', 'user.read', 'user.update', 'user.delete', 'file.read'] });
    const self = `${subusers()}/${subuserId}`;
    const other = await users.create();
    const list = async () => (await clientOf(owner).get('/servers/{id}/subusers', { params: { id: serverId } })).data;
    const before = await list();
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
    expect(await list()).to.deep.equal(before);
  });

  it('lets a subuser leave with any permission, and ends their access from then on', async () => {
    const leaver = await users.signUp();
    const body = { email: leaver.email, permissions: ['file.sftp' as const] };
    await clientOf(owner).post('/servers/{id}/subusers', { params: { id: serverId }, body });
    const server = `/api/v1/servers/${serverId}`;
    expect((await call(leaver, 'GET', server)).status).to.equal(200);
    expect((await call(leaver, 'DELETE', `${server}/access`)).status).to.equal(204);
    expect((await call(leaver, 'GET', server)).status).to.equal(404);
    expect((await call(leaver, 'DELETE', `${server}/access`)).status).to.equal(404);
  });

  it('lets a subuser write only where their path rules allow it', async () => {
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

  it('makes an invited address a subuser when it has an account', async () => {
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

  it('closes the consoles of a removed subuser within five seconds, and refuses their next request at every gateway', async () => {
    const gateways = test.stack.gateways.map(({ baseUrl }) => createPanelClient({ baseUrl, token: guest.token }));
    expect(gateways).to.have.lengthOf(2);
    const openAll = async () => Promise.all(gateways.map(async (client) => client.openConsole(serverId)));
    const refusals = async (id: string) =>
      Promise.all(
        gateways.map(async (client) =>
          client.get('/servers/{id}', { params: { id } }).then(
            () => 'none',
            (error: unknown) =>
              error instanceof ApiError ? [error.status, error.code, error.message, error.details] : error,
          ),
        ),
      );
    const expectClosed = async (consoles: readonly ConsoleSocket[], changedAt: number) => {
      const codes = await Promise.all(consoles.map(async ({ closed }) => (await closed).code));
      expect(codes).to.deep.equal([4403, 4403]);
      expect(performance.now() - changedAt).to.be.below(5_000);
    };
    await grant({ permissions: ['websocket.connect', 'file.read'] });
    const first = await openAll();
    const narrowedAt = performance.now();
    await grant({ permissions: ['file.read'] });
    for (const client of gateways) {
      const error = await client
        .get('/servers/{id}/console', { params: { id: serverId } })
        .catch((thrown: unknown) => thrown);
      expect(error).to.include({ status: 403 });
      await client.get('/servers/{id}/files/list', { params: { id: serverId }, query: { directory: '/' } });
    }
    await expectClosed(first, narrowedAt);
    await grant({ permissions: ['websocket.connect'] });
    const second = await openAll();
    const removedAt = performance.now();
    await clientOf(owner).delete('/servers/{id}/subusers/{subuser-id}', {
      params: { id: serverId, subuser_id: subuserId },
    });
    const refused = await refusals(serverId);
    expect(refused.map((refusal) => (Array.isArray(refusal) ? refusal[0] : refusal))).to.deep.equal([404, 404]);
    expect(refused).to.deep.equal(await refusals(randomUUID()));
    expect((await clientOf(guest).get('/servers')).data).to.deep.equal([]);
    await expectClosed(second, removedAt);
  });
});
