import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { createGame } from '../support/game.js';
import { bootStack, type TestStack } from '../support/stack.js';
import { needRedis } from './support/need-redis.js';
import { password, TestUsers, type TestUser } from './support/users.js';
import { dataOf, send } from './support/requests.js';
import { roleIds } from './support/route-table.js';

/* For the other gateway's next request, and its sockets within 5 s (GHSA-8c39-xppg-479c). */
const maxCloseMs = 5_000;
const unset = { REDIS_URL: undefined };

for (const { name, overrides } of [
  { name: 'with Redis', overrides: {} },
  { name: 'without Redis', overrides: { gateway: unset, identity: unset } },
]) {
  describe(`revocation at two gateways ${name}`, function () {
    this.timeout(180_000);
    let test: TestStack;
    let here: string;
    let there: string;
    let users: TestUsers;
    let serverId: string;
    let roles: Record<string, string>;
    let viewerId: string;

    before(async function () {
      needRedis(this);
      test = await bootStack({}, { gateways: 2, overrides });
      [here = '', there = ''] = test.stack.gateways.map(({ baseUrl }) => baseUrl);
      users = new TestUsers(here, test.admin.token() ?? '');
      roles = await roleIds(here, users.adminToken);
      ({ id: viewerId } = await users.createRole(['servers.view']));
      ({ id: serverId } = await createGame(test));
    });

    after(async () => test?.stop());

    const asAdmin = async (method: string, path: string, json?: object) => {
      const answer = await send(here, `/api/v1${path}`, { method, token: users.adminToken, json });
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.be.below(300);
      return answer.body.data;
    };
    const as = async (token: string, method: string, path: string, json?: object) => {
      const answer = await send(here, `/api/v1${path}`, { method, token, json });
      expect(answer.status, `${method} ${path}: ${answer.text}`).to.be.below(300);
    };

    /** A user whose role allows the console of the administrator's server. */
    const staff = async (roleId = viewerId): Promise<TestUser> => users.signUp({ role_id: roleId });

    interface Cause {
      readonly name: string;
      /** An allowed user, and the revocation. */
      readonly make: () => Promise<{ token: string; act: () => Promise<void>; probe?: string }>;
      readonly status: number;
      readonly closeCode: number;
    }

    const usersPath = '/api/v1/admin/users';
    const causes: readonly Cause[] = [
      {
        name: 'signing out',
        make: async () => {
          const { token } = await staff();
          return { token, act: async () => as(token, 'POST', '/auth/logout') };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'a session ended from another one',
        make: async () => {
          const person = await staff();
          const other = await users.signIn(person);
          const sessions = await dataOf<{ id: string; current: boolean }[]>(here, '/api/v1/account/sessions', {
            token: other.token,
          });
          const id = sessions.find(({ current }) => !current)?.id;
          return { token: person.token, act: async () => as(other.token, 'DELETE', `/account/sessions/${id}`) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'all sessions ended by an administrator',
        make: async () => {
          const { id, token } = await staff();
          return { token, act: async () => void (await asAdmin('DELETE', `/admin/users/${id}/sessions`)) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'an API key deleted by its owner',
        make: async () => {
          const { token } = await staff();
          const { id, key } = await users.createApiKey(token);
          return { token: key, act: async () => as(token, 'DELETE', `/account/api-keys/${id}`) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'an API key deleted with itself',
        make: async () => {
          const { token } = await staff();
          const { id, key } = await users.createApiKey(token);
          return { token: key, act: async () => as(key, 'DELETE', `/account/api-keys/${id}`) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'an API key deleted by an administrator',
        make: async () => {
          const { id, token } = await staff();
          const made = await users.createApiKey(token);
          const path = `/admin/users/${id}/api-keys/${made.id}`;
          return { token: made.key, act: async () => void (await asAdmin('DELETE', path)) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'a password changed in another session',
        make: async () => {
          const person = await staff();
          const other = await users.signIn(person);
          const json = { current_password: password, password: 'quite another password' };
          return { token: person.token, act: async () => as(other.token, 'PUT', '/account/password', json) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'a password set by an administrator',
        make: async () => {
          const { id, token } = await staff();
          const json = { password: 'quite another password' };
          return { token, act: async () => void (await asAdmin('PUT', `/admin/users/${id}`, json)) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'a password chosen by a mailed link',
        make: async () => {
          const { email, token } = await staff();
          const json = { token: await users.resetToken(test.stack, email), password: 'quite another password' };
          return {
            token,
            act: async () => void (await dataOf(here, '/api/v1/auth/password/reset', { json })),
          };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'another role, with fewer rights',
        make: async () => {
          const { id, token } = await staff(roles['moderator']);
          const json = { role_id: roles['user'] };
          return { token, probe: usersPath, act: async () => void (await asAdmin('PUT', `/admin/users/${id}`, json)) };
        },
        status: 403,
        closeCode: 4403,
      },
      {
        name: 'another role, for an API key of before',
        make: async () => {
          const { id, token } = await staff(roles['moderator']);
          const { key } = await users.createApiKey(token);
          const json = { role_id: roles['user'] };
          return {
            token: key,
            probe: usersPath,
            act: async () => void (await asAdmin('PUT', `/admin/users/${id}`, json)),
          };
        },
        status: 403,
        closeCode: 4403,
      },
      {
        name: 'a right taken out of a role',
        make: async () => {
          const role = await users.createRole(['users.view', 'servers.view']);
          const { token } = await staff(role.id);
          const json = { permissions: [] };
          return {
            token,
            probe: usersPath,
            act: async () => void (await asAdmin('PUT', `/admin/roles/${role.id}`, json)),
          };
        },
        status: 403,
        closeCode: 4403,
      },
      {
        name: 'a user deleted',
        make: async () => {
          const { id, token } = await staff();
          return { token, act: async () => void (await asAdmin('DELETE', `/admin/users/${id}`)) };
        },
        status: 401,
        closeCode: 4401,
      },
      {
        name: 'a user deleted, for an API key of theirs',
        make: async () => {
          const { id, token } = await staff();
          const { key } = await users.createApiKey(token);
          return { token: key, act: async () => void (await asAdmin('DELETE', `/admin/users/${id}`)) };
        },
        status: 401,
        closeCode: 4401,
      },
    ];

    it(`refuses the next request at the other gateway and closes its sockets (${causes.length} causes)`, async () => {
      const closings: Promise<void>[] = [];
      for (const cause of causes) {
        const { token, act, probe = '/api/v1/account' } = await cause.make();
        // Twice, to fill the other gateway's cache.
        for (let i = 0; i < 2; i++) expect((await send(there, probe, { token })).status, cause.name).to.equal(200);
        const socket = await openSocket(there, serverId, token);
        const begin = performance.now();
        await act();
        expect((await send(there, probe, { token })).status, cause.name).to.equal(cause.status);
        expect((await send(here, probe, { token })).status, `${cause.name}, at the same gateway`).to.equal(
          cause.status,
        );
        closings.push(expectClosed(socket, begin, cause));
      }
      await Promise.all(closings);
    });

    async function expectClosed(socket: ClosingSocket, begin: number, cause: Cause): Promise<void> {
      const code = await waitUntil(`the socket to close: ${cause.name}`, () => socket.code, maxCloseMs + 2_000);
      expect(code, cause.name).to.equal(cause.closeCode);
      expect(performance.now() - begin, cause.name).to.be.below(maxCloseMs);
    }

    it('does not affect other sessions and users', async () => {
      const person = await staff();
      const other = await users.signIn(person);
      const { key } = await users.createApiKey(person.token);
      const socket = await openSocket(there, serverId, person.token);
      await as(person.token, 'PUT', '/account/password', { current_password: password, password: 'a new long one' });
      await as(person.token, 'PUT', '/account', { first_name: 'Somebody' });
      const statuses = [person.token, key, other.token].map(
        async (token) => (await send(there, '/api/v1/account', { token })).status,
      );
      expect(await Promise.all(statuses)).to.deep.equal([200, 200, 401]);
      await waitUntil('two rounds of checks', () => socket.pings > 0 || performance.now() > socket.openedAt + 4_500);
      expect(socket.code).to.equal(undefined);
      socket.close();
    });

    if (name === 'with Redis') {
      it('holds while Redis hangs', async () => {
        const victims = [];
        for (let i = 0; i < 3; i++) {
          const { token } = await staff();
          expect((await send(there, '/api/v1/account', { token })).status).to.equal(200);
          victims.push(token);
        }
        await test.stack.kill('redis', 'SIGSTOP');
        try {
          for (const token of victims) {
            await as(token, 'POST', '/auth/logout');
            expect((await send(there, '/api/v1/account', { token })).status).to.equal(401);
          }
        } finally {
          await test.stack.kill('redis', 'SIGCONT');
        }
        for (const token of victims) expect((await send(there, '/api/v1/account', { token })).status).to.equal(401);
      });

      it('holds after Redis lost its data and restarted', async () => {
        const { token } = await staff();
        expect((await send(there, '/api/v1/account', { token })).status).to.equal(200);
        await as(token, 'POST', '/auth/logout');
        await test.stack.kill('redis', 'SIGKILL');
        expect((await send(there, '/api/v1/account', { token })).status).to.equal(401);
        await test.stack.whenReady('redis');
        for (let i = 0; i < 5; i++) expect((await send(there, '/api/v1/account', { token })).status).to.equal(401);
      });
    }
  });
}

interface ClosingSocket {
  readonly openedAt: number;
  code: number | undefined;
  pings: number;
  close(): void;
}

async function openSocket(base: string, serverId: string, token: string): Promise<ClosingSocket> {
  const url = `${base.replace(/^http/, 'ws')}/api/v1/servers/${serverId}/ws`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  const state: ClosingSocket = { openedAt: performance.now(), code: undefined, pings: 0, close: () => socket.close() };
  socket.on('close', (code) => (state.code = code));
  socket.on('ping', () => (state.pings += 1));
  // Established by the first message.
  await new Promise<void>((resolve, reject) => {
    socket.once('message', () => resolve());
    socket.once('error', reject);
  });
  return state;
}
