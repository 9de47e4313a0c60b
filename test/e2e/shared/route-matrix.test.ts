import { randomUUID } from 'node:crypto';
import { createPanelClient } from '@panel/client';
import { expect } from 'chai';
import { createServer, importEgg } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';
import { readEgg } from '@panel/stack';

/*
 * From the gateway's own description, to detect missing permission checks. Answers are checked against their schemas
 * (CHECK_RESPONSES), so any 500 fails.
 */
type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'account' }
  | { readonly kind: 'admin'; readonly permission: string }
  | { readonly kind: 'server'; readonly permissions: readonly string[] };

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
}

interface TestUser {
  readonly name: string;
  readonly token: string | null;
  readonly permissions: readonly string[];
}

const password = 'a long enough password';
const moderator = ['servers.view', 'servers.suspend', 'users.view', 'nodes.view', 'billing.view'];
const custom = ['nodes.*', 'roles.view'];

function grants(permissions: readonly string[], wanted: string): boolean {
  return permissions.includes('*') || permissions.includes(wanted) || permissions.includes(`${wanted.split('.')[0]}.*`);
}

describe('access to every endpoint', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let endpoints: Endpoint[];
  let users: TestUser[];
  let serverId: string;

  const call = async (method: string, path: string, token: string | null, body?: object) => {
    const response = await fetch(`${test.stack.baseUrl}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };

  const signIn = async (email: string, secret = password): Promise<string> =>
    (await createPanelClient({ baseUrl: test.stack.baseUrl }).login(email, secret)).access_token;

  const keyOf = async (token: string, permissions?: string[]): Promise<string> => {
    const owner = createPanelClient({ baseUrl: test.stack.baseUrl, token });
    return (await owner.post('/account/api-keys', { body: { description: 'matrix', permissions } })).data.key;
  };

  before(async () => {
    test = await sharedStack();
    const document = (await (await fetch(`${test.stack.baseUrl}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { 'x-access': Access; 'x-websocket'?: object }>>;
    };
    endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // A plain request cannot become a WebSocket: the console has its own tests.
        .filter(([, operation]) => !('x-websocket' in operation))
        .map(([method, { 'x-access': access }]) => ({ method: method.toUpperCase(), path, access })),
    );
    const { data: roles } = await test.admin.get('/admin/roles');
    const keeper = { name: 'node keeper', permissions: custom };
    const { data: created } = await test.admin.post('/admin/roles', { body: keeper });
    const roleId = (name: string) => [...roles, created].find((role) => role.name === name)?.id;
    users = [{ name: 'nobody', token: null, permissions: [] }];
    for (const [name, role, permissions] of [
      ['user', 'user', []],
      ['moderator', 'moderator', moderator],
      ['custom', 'node keeper', custom],
      ['admin', 'admin', ['*']],
    ] as const) {
      const user = { email: `${name}@example.com`, username: `the-${name}`, password, role_id: roleId(role) };
      await test.admin.post('/admin/users', { body: user });
      const token = await signIn(user.email);
      users.push({ name, token, permissions }, { name: `key of ${name}`, token: await keyOf(token), permissions });
      if (name !== 'admin') continue;
      const subset = ['users.view', 'eggs.*'];
      users.push({ name: 'subset key of admin', token: await keyOf(token, subset), permissions: subset });
    }
    const eggId = await importEgg(test.admin, readEgg('lantern-caverns'));
    ({ id: serverId } = await createServer(test, eggId, { memory: 128 }));
  });

  /** Unknown ids: an allowed request finds and changes nothing. */
  const withRandomIds = (path: string) => path.replace(/\{[^}]+\}/g, () => randomUUID());
  const hasBody = (method: string) => method === 'POST' || method === 'PUT';

  it('grants every endpoint to permitted callers only, with one answer to all others', async () => {
    for (const { method, path, access } of endpoints) {
      // Allowed to every signed-in user, and would end the test.
      if (path.endsWith('/auth/logout')) continue;
      const refusals = new Set<string>();
      for (const { name, token, permissions } of users) {
        const { status, text } = await call(method, withRandomIds(path), token, hasBody(method) ? {} : undefined);
        const label = `${method} ${path} as ${name}: ${status} ${text.slice(0, 200)}`;
        expect(status, label).not.to.equal(500);
        if (access.kind === 'public') continue;
        if (token === null) expect(status, label).to.equal(401);
        else if (access.kind === 'account' && name.startsWith('subset key') && path !== '/api/v1/servers')
          expect(status, label).to.equal(403);
        else if (access.kind === 'account') expect(status, label).not.to.be.oneOf([401, 403]);
        else if (access.kind === 'server') expect(status, label).to.equal(404);
        else if (grants(permissions, access.permission)) expect(status, label).not.to.be.oneOf([401, 403]);
        else {
          expect(status, label).to.equal(403);
          refusals.add(text);
        }
      }
      expect(refusals.size, `${method} ${path}: one refusal for all`).to.be.at.most(1);
    }
  });

  it('hides a server from users without access, whatever they request', async () => {
    const readsOnly = (method: string) => method === 'GET';
    for (const { method, path, access } of endpoints) {
      if (access.kind !== 'server') continue;
      const real = withRandomIds(path.replace('{id}', serverId));
      for (const { name, token, permissions } of users) {
        const mayEdit = grants(permissions, 'servers.update');
        const mayLook = mayEdit || grants(permissions, 'servers.view');
        // Staff's real changes are skipped, only reads are tried.
        if (mayLook && !readsOnly(method)) continue;
        const { status, text } = await call(method, real, token, hasBody(method) ? {} : undefined);
        const label = `${method} ${path} as ${name}: ${status} ${text.slice(0, 200)}`;
        expect(status, label).not.to.equal(500);
        if (token === null) expect(status, label).to.equal(401);
        else if (mayEdit) expect(status, label).not.to.be.oneOf([401, 403]);
        else if (!mayLook) expect(status, label).to.equal(404);
      }
    }
  });

  it('grants the owner every read', async () => {
    const owner = await signIn(test.adminEmail, test.password);
    for (const { method, path, access } of endpoints) {
      if (method !== 'GET' || access.kind !== 'server' || path.match(/\{/g)?.length !== 1) continue;
      const { status, text } = await call(method, path.replace('{id}', serverId), owner);
      expect(status, `${path}: ${status} ${text.slice(0, 300)}`).to.be.oneOf([200, 422]);
    }
  });
});
