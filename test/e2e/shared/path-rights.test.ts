import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPanelClient, type PanelClient } from '@panel/client';
import { serverPermissions } from '@panel/protos/permissions';
import { needPrograms } from '@panel/testing';
import { expect } from 'chai';
import { createGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';
import { type TestUser, TestUsers } from '../security/support/users.js';

/** A request in `/area`, the path rule's directory. */
interface AreaRequest {
  readonly endpoint: string;
  readonly permission: string;
  /** Its kind of access. */
  readonly does: 'read' | 'write';
  readonly child?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** `n` differs per call. */
  readonly json?: (n: number) => object;
  readonly headers?: (n: number) => Readonly<Record<string, string>>;
  /** The answer when allowed; default 2xx. */
  readonly status?: number;
}

/** Not about a path, or limited to allowed paths. */
const pathless = [
  'GET /files/operations',
  'GET /files/operations/{operation-id}',
  'POST /files/operations/{operation-id}/cancel',
  'GET /files/trash',
  'DELETE /files/trash',
  'GET /files/uploads',
  'GET /files/uploads/{upload-id}',
  'PATCH /files/uploads/{upload-id}',
  'DELETE /files/uploads/{upload-id}',
];

/** Starts the resumable upload of an empty file. */
const uploadHeaders = (n: number) => ({
  'tus-resumable': '1.0.0',
  'upload-length': '0',
  'upload-metadata': `filename ${Buffer.from(`uploaded-${n}.txt`).toString('base64')}`,
});

function requestsFor(has: { readonly version: string; readonly trashed: string }): readonly AreaRequest[] {
  const [file, outside] = ['/area/a.txt', '/outside.txt'];
  return [
    { endpoint: 'GET /files/list', permission: 'file.read', does: 'read', query: { directory: '/area' } },
    { endpoint: 'GET /files/contents', permission: 'file.read-content', does: 'read', query: { path: file } },
    { endpoint: 'GET /files/download', permission: 'file.read-content', does: 'read', query: { path: file } },
    {
      endpoint: 'GET /files/search',
      permission: 'file.read-content',
      does: 'read',
      query: { directory: '/area', name: 'a' },
    },
    { endpoint: 'GET /files/versions', permission: 'file.read', does: 'read', query: { path: file } },
    {
      endpoint: 'GET /files/versions/{version-id}',
      permission: 'file.read-content',
      does: 'read',
      child: has.version,
    },
    {
      endpoint: 'POST /files/versions/{version-id}/restore',
      permission: 'file.update',
      does: 'write',
      child: has.version,
    },
    {
      endpoint: 'PUT /files/write',
      permission: 'file.update',
      does: 'write',
      json: (n) => ({ path: file, content: `${n}` }),
    },
    {
      endpoint: 'PUT /files/write',
      permission: 'file.update',
      does: 'write',
      json: (n) => ({ path: `/area/new-${n}.txt`, content: '' }),
    },
    {
      endpoint: 'POST /files/create-directory',
      permission: 'file.create',
      does: 'write',
      json: (n) => ({ path: `/area/made-${n}` }),
    },
    {
      endpoint: 'POST /files/rename',
      permission: 'file.update',
      does: 'write',
      json: (n) => ({ from: '/area/moved.txt', to: `/out-${n}.txt` }),
    },
    {
      endpoint: 'POST /files/rename',
      permission: 'file.update',
      does: 'write',
      json: (n) => ({ from: '/moved-in.txt', to: `/area/in-${n}.txt` }),
    },
    {
      endpoint: 'POST /files/copy',
      permission: 'file.create',
      does: 'read',
      json: (n) => ({ path: file, to: `/copy-${n}.txt` }),
    },
    {
      endpoint: 'POST /files/copy',
      permission: 'file.create',
      does: 'write',
      json: (n) => ({ path: outside, to: `/area/copy-${n}.txt` }),
    },
    {
      endpoint: 'POST /files/delete',
      permission: 'file.delete',
      does: 'write',
      json: () => ({ files: ['/area/deleted.txt'] }),
    },
    {
      endpoint: 'POST /files/chmod',
      permission: 'file.update',
      does: 'write',
      json: () => ({ files: [{ file, mode: '640' }] }),
    },
    {
      endpoint: 'POST /files/compress',
      permission: 'file.archive',
      does: 'read',
      json: (n) => ({ files: [file], name: `/packed-${n}.zip` }),
    },
    {
      endpoint: 'POST /files/compress',
      permission: 'file.archive',
      does: 'write',
      json: (n) => ({ files: [outside], name: `/area/packed-${n}.zip` }),
    },
    {
      endpoint: 'POST /files/decompress',
      permission: 'file.archive',
      does: 'read',
      json: (n) => ({ path: '/area/all.zip', root: `/unpacked-${n}` }),
    },
    {
      endpoint: 'POST /files/decompress',
      permission: 'file.archive',
      does: 'write',
      json: (n) => ({ path: '/all.zip', root: `/area/unpacked-${n}` }),
    },
    {
      endpoint: 'POST /files/uploads',
      permission: 'file.create',
      does: 'write',
      query: { directory: '/area' },
      headers: uploadHeaders,
    },
    // A private address, which is never fetched.
    {
      endpoint: 'POST /files/pull',
      permission: 'file.create',
      does: 'write',
      json: () => ({ url: 'http://169.254.169.254/latest', directory: '/area' }),
      status: 409,
    },
    {
      endpoint: 'POST /files/trash/{trash-id}/restore',
      permission: 'file.create',
      does: 'write',
      child: has.trashed,
      json: (n) => ({ to: `/area/again-${n}.txt` }),
    },
  ];
}

describe('path rules of subusers', function () {
  this.timeout(240_000);
  let test: SharedStack;
  let owner: PanelClient;
  let guest: TestUser;
  let serverId: string;
  let subuserId: string;
  let directory: string;
  let number = 0;

  before(async () => {
    test = await sharedStack();
    directory = mkdtempSync(path.join(tmpdir(), 'panel-e2e-paths-'));
    owner = test.admin;
    guest = await new TestUsers(test.stack.baseUrl, test.admin.token() ?? '').signUp();
    ({ id: serverId } = await createGame(test, { backups_limit: 2 }));
    const body = { email: guest.email, permissions: ['file.read' as const] };
    subuserId = (await owner.post('/servers/{id}/subusers', { params: { id: serverId }, body })).data.id;
    for (const name of ['/area/a.txt', '/area/a.txt', '/outside.txt']) await write(name, `${number++}`);
    for (const name of ['/area/all.zip', '/all.zip']) {
      const packing = { root: '/', files: ['/outside.txt'], name };
      await owner.post('/servers/{id}/files/compress', { params: { id: serverId }, body: packing });
    }
  });
  after(async () => {
    rmSync(directory, { recursive: true, force: true });
  });

  const write = async (name: string, content: string) =>
    owner.put('/servers/{id}/files/write', { params: { id: serverId }, body: { path: name, content } });
  const call = async (method: string, suffix: string, json?: object, more: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${test.stack.baseUrl}/api/v1/servers/${serverId}${suffix}`, {
      method,
      headers: { authorization: `Bearer ${guest.token}`, ...(json && { 'content-type': 'application/json' }), ...more },
      ...(json && { body: JSON.stringify(json) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const grant = async (body: object) => {
    const response = await fetch(`${test.stack.baseUrl}/api/v1/servers/${serverId}/subusers/${subuserId}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${owner.token() ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).to.equal(200);
  };
  /** Restores the requests' objects. */
  const prepare = async () => {
    number += 1;
    for (const name of ['/area/moved.txt', '/moved-in.txt', '/area/deleted.txt']) await write(name, `${number}`);
    await write(`/area/trashed-${number}.txt`, '');
    const of = { params: { id: serverId } };
    await owner.post('/servers/{id}/files/delete', { ...of, body: { files: [`/area/trashed-${number}.txt`] } });
    const { data: trash } = await owner.get('/servers/{id}/files/trash', of);
    const { data: versions } = await owner.get('/servers/{id}/files/versions', {
      ...of,
      query: { path: '/area/a.txt' },
    });
    const trashed = trash.find(({ path: was }) => was.endsWith(`trashed-${number}.txt`));
    return { trashed: trashed?.id ?? '', version: versions[0]?.id ?? '' };
  };

  it('applies path rules in every endpoint that names a path', async () => {
    const document = (await (await fetch(`${test.stack.baseUrl}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const prefix = '/api/v1/servers/{id}';
    const endpoints = Object.entries(document.paths).flatMap(([name, methods]) =>
      name.startsWith(`${prefix}/files/`)
        ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${name.slice(prefix.length)}`)
        : [],
    );
    const covered = requestsFor({ version: '', trashed: '' }).map(({ endpoint }) => endpoint);
    expect([...new Set([...covered, ...pathless])].toSorted()).to.deep.equal(endpoints.toSorted());
  });

  for (const access of ['allow', 'read_only', 'deny'] as const) {
    it(`opens with each permission alone exactly its endpoints, where a rule says ${access}`, async () => {
      const path_rules = [{ path: '/area', access }];
      const needed: readonly string[] = requestsFor({ version: '', trashed: '' }).map(({ permission }) => permission);
      // Missing permissions are refused regardless of the rule: the first rule proves it for all.
      const held = access === 'allow' ? serverPermissions : serverPermissions.filter((one) => needed.includes(one));
      for (const permission of held) {
        await grant({ permissions: [permission], path_rules });
        const requests = requestsFor(await prepare());
        for (const [index, request] of requests.entries()) {
          const { endpoint, does, query, child = '', json, headers, status: expected } = request;
          const n = number * 100 + index;
          const isAllowed = access === 'allow' || (access === 'read_only' && does === 'read');
          const isOpen = isAllowed && request.permission === permission;
          const [method = '', name = ''] = endpoint.split(' ');
          const search = query ? `?${new URLSearchParams(query).toString()}` : '';
          const suffix = `${name.replace(/\{[^}]+\}/, child)}${search}`;
          const { status, text } = await call(method, suffix, json?.(n), headers?.(n));
          const described = `${endpoint} ${does} with ${permission}: ${status} ${text.slice(0, 200)}`;
          if (!isOpen) expect(status, described).to.equal(403);
          else if (expected === undefined) expect(status, described).to.be.within(200, 299);
          else expect(status, described).to.equal(expected);
        }
      }
    });
  }

  it('refuses backups, which hold every file', async () => {
    const of = { params: { id: serverId } };
    const { data: backup } = await owner.post('/servers/{id}/backups', { ...of, body: {} });
    await grant({
      permissions: ['backup.download', 'backup.restore'],
      path_rules: [{ path: '/area', access: 'read_only' }],
    });
    expect((await call('GET', `/backups/${backup.id}/download`)).status).to.equal(403);
    expect((await call('POST', `/backups/${backup.id}/restore`, {})).status).to.equal(403);
  });

  it('applies path rules over SFTP, which needs file.sftp and no other permission to sign in', async function () {
    needPrograms(this, 'sftp', 'ssh-keygen');
    const key = path.join(directory, `key-${randomUUID()}`);
    expect(spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]).status).to.equal(0);
    const client = createPanelClient({ baseUrl: test.stack.baseUrl, token: guest.token });
    const public_key = readFileSync(`${key}.pub`, 'utf8');
    await client.post('/account/ssh-keys', { body: { name: 'laptop', public_key } });
    const sftp = (...commands: string[]) => {
      const options = [
        'BatchMode=yes',
        'StrictHostKeyChecking=no',
        'IdentitiesOnly=yes',
        'UserKnownHostsFile=/dev/null',
      ];
      const port = test.stack.sftp.split(':')[1] ?? '';
      const args = [
        '-F',
        '/dev/null',
        ...options.flatMap((option) => ['-o', option]),
        '-i',
        key,
        '-P',
        port,
        '-b',
        '-',
      ];
      const who = `${guest.username}.${serverId.slice(0, 8)}@127.0.0.1`;
      const { status, stdout, stderr } = spawnSync('sftp', [...args, who], {
        input: `${commands.join('\n')}\n`,
        encoding: 'utf8',
      });
      return { status, output: stdout + stderr };
    };
    const all = ['file.sftp', 'file.read', 'file.read-content', 'file.create', 'file.update', 'file.delete'];
    for (const access of ['allow', 'read_only', 'deny'] as const) {
      await grant({ permissions: all, path_rules: [{ path: '/area', access }] });
      await prepare();
      const outcomes = [
        sftp('ls /area'),
        sftp(`get /area/a.txt ${path.join(directory, 'a.txt')}`),
        sftp(`put ${key}.pub /area/by-sftp.txt`),
        sftp('rm /area/deleted.txt'),
        sftp('mkdir /area/by-sftp'),
        sftp('rename /area/moved.txt /moved-by-sftp.txt'),
      ].map(({ status }) => status === 0);
      const [reads, writes] = [access !== 'deny', access === 'allow'];
      expect(outcomes, access).to.deep.equal([reads, reads, writes, writes, writes, writes]);
      if (access === 'allow') {
        sftp('rm /area/by-sftp.txt', 'rmdir /area/by-sftp', 'rm /moved-by-sftp.txt');
      }
    }
    // Not all of them: an address is blocked after thirty refused connections.
    const others = serverPermissions.filter((key) => /^(file|backup)\.|console|websocket/.test(key));
    for (const permission of others) {
      await grant({ permissions: [permission], path_rules: [] });
      const { status, output } = sftp('pwd');
      expect(status === 0, `${permission}: ${output}`).to.equal(permission === 'file.sftp');
    }
  });
});
