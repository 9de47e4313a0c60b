import { waitUntil } from '@panel/kit/testing';
import { createPanelClient } from '@panel/client';
import type { ServerPermission } from '@panel/protos/permissions';
import type { SharedStack } from './stack.js';
import { type TestUser, type TestUsers } from '../security/support/users.js';

/** A request valid for each permitted user. */
export interface ServerRequest {
  /** Path suffix for the endpoint's last parameter. */
  readonly child?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: object;
  /** The needed permission, where it depends on the request. */
  readonly permission?: string;
  /** Additionally needed permissions, else 403. */
  readonly also?: readonly ServerPermission[];
  /** The answer when allowed; default 2xx. */
  readonly status?: number;
  /** Needs a running server. */
  readonly isForRunning?: true;
}

export interface ServerChildren {
  readonly addresses: readonly string[];
  readonly backups: readonly string[];
  readonly schedules: readonly string[];
  readonly webhook: string;
  readonly roles: readonly string[];
  readonly subusers: readonly string[];
  readonly operation: string;
  readonly powerOperation: string;
  readonly trashed: string;
  readonly version: string;
  readonly newEmail: string;
}

/** The server needs limits of three backups and four addresses. */
export async function createServerChildren(
  test: SharedStack,
  users: TestUsers,
  owner: TestUser,
  id: string,
): Promise<ServerChildren> {
  const client = createPanelClient({ baseUrl: test.stack.baseUrl, token: owner.token });
  const of = { params: { id } };
  const subuser = async (permission: 'user.update' | 'user.delete') => {
    const { email } = await users.create();
    return (await client.post('/servers/{id}/subusers', { ...of, body: { email, permissions: [permission] } })).data.id;
  };
  const role = async (permission: 'user.update' | 'user.delete') => {
    const body = { name: `may ${permission}`, permissions: [permission] };
    return (await client.post('/servers/{id}/subuser-roles', { ...of, body })).data.id;
  };
  const schedule = async (more: object = {}) =>
    (await client.post('/servers/{id}/schedules', { ...of, body: { name: 'a schedule', ...more } })).data.id;
  const address = async () => (await client.post('/servers/{id}/allocations', of)).data.id;
  const backup = async () => {
    const { data } = await client.post('/servers/{id}/backups', { ...of, body: {} });
    const params = { id, backup_id: data.id };
    await waitUntil('the backup', async () => {
      const { data: made } = await client.get('/servers/{id}/backups/{backup-id}', { params });
      return made.status === 'completed';
    });
    return data.id;
  };
  const write = async (path: string, content: string) =>
    client.put('/servers/{id}/files/write', { ...of, body: { path, content } });

  for (const path of ['/a.txt', '/moved.txt', '/deleted.txt', '/trashed.txt']) await write(path, 'one');
  await write('/a.txt', 'two');
  await client.post('/servers/{id}/files/delete', { ...of, body: { files: ['/trashed.txt'] } });
  const { data: trash } = await client.get('/servers/{id}/files/trash', of);
  const { data: versions } = await client.get('/servers/{id}/files/versions', { ...of, query: { path: '/a.txt' } });
  const packing = { root: '/', files: ['/a.txt'], name: '/all.zip' };
  const { data: kill } = await client.post('/servers/{id}/power', { ...of, body: { action: 'kill' } });
  const { data: operation } = await client.post('/servers/{id}/files/compress', { ...of, body: packing });
  return {
    addresses: [await address(), await address()],
    backups: [await backup(), await backup()],
    schedules: [await schedule(), await schedule()],
    webhook: await schedule({ trigger: { kind: 'webhook' } }),
    roles: [await role('user.update'), await role('user.delete')],
    subusers: [await subuser('user.update'), await subuser('user.delete')],
    operation: operation.id,
    powerOperation: kill.operation_id,
    trashed: trash[0]?.id ?? '',
    version: versions[0]?.id ?? '',
    newEmail: (await users.create()).email,
  };
}

/** One request per endpoint of a server, several where the permission depends on the request. */
export function createServerRequests(has: ServerChildren): Record<string, readonly ServerRequest[]> {
  const [address, spareAddress] = has.addresses;
  const [backup, spareBackup] = has.backups;
  const [schedule, spareSchedule] = has.schedules;
  const [role, spareRole] = has.roles;
  const [subuser, spareSubuser] = has.subusers;
  const of = (child: string | undefined, more: ServerRequest = {}) => [{ child: child ?? '', ...more }];
  const plain: readonly ServerRequest[] = [{}];
  // Without a database host there is no database.
  const noDatabase: ServerRequest = { status: 404 };
  return {
    'GET ': plain,
    'PUT ': [{ json: { description: 'renamed' } }],
    'GET /resources': plain,
    'GET /metrics': plain,
    'GET /console': plain,
    'GET /power/{operation-id}': of(has.powerOperation),
    'GET /operations/{operation-id}': of(has.powerOperation),
    'POST /power': [
      { json: { action: 'start' }, permission: 'control.start' },
      { json: { action: 'stop' }, permission: 'control.stop', isForRunning: true },
      { json: { action: 'kill' }, permission: 'control.stop', isForRunning: true },
      { json: { action: 'restart' }, permission: 'control.restart', isForRunning: true },
    ],
    'POST /command': [{ json: { command: 'say hello' }, isForRunning: true }],
    'GET /startup': plain,
    'PUT /startup': [
      { json: { environment: { TICK_SECONDS: '2' } }, permission: 'startup.update' },
      { json: { docker_image: 'debian:stable-slim' }, permission: 'startup.docker-image' },
    ],
    'POST /features': [
      { json: { feature: 'eula' }, permission: 'file.create', status: 409 },
      { json: { feature: 'java_version', java_version: 21 }, permission: 'startup.docker-image', status: 409 },
      { json: { feature: 'gsl_token', token: 'x' }, permission: 'startup.update', status: 409 },
      { json: { feature: 'pid_limit' }, permission: 'control.restart', status: 409 },
    ],
    'POST /reinstall': plain,
    'GET /install-log': plain,
    'GET /activity': plain,
    'GET /allocations': plain,
    'POST /allocations': plain,
    'PUT /allocations/{allocation-id}': of(address, { json: { notes: 'queries' } }),
    'DELETE /allocations/{allocation-id}': of(spareAddress),
    'GET /backups': plain,
    'POST /backups': [{ json: {} }, { json: { databases: true }, also: ['database.view_password'] }],
    'GET /backups/{backup-id}': of(backup),
    'GET /backups/{backup-id}/download': of(backup),
    'GET /backups/{backup-id}/files': of(backup),
    'POST /backups/{backup-id}/restore': [
      { child: backup ?? '', json: {} },
      // Contains no databases.
      {
        child: backup ?? '',
        json: { databases: true },
        also: ['database.update', 'database.view_password'],
        status: 409,
      },
    ],
    'POST /backups/{backup-id}/lock': of(backup, { json: { is_locked: true } }),
    'DELETE /backups/{backup-id}': of(spareBackup),
    'GET /databases': plain,
    'POST /databases': [{ json: { name: 'world' }, status: 409 }],
    'DELETE /databases/{db-id}': of(undefined, noDatabase),
    'POST /databases/{db-id}/rotate-password': of(undefined, { ...noDatabase, also: ['database.view_password'] }),
    'GET /databases/{db-id}/export': of(undefined, noDatabase),
    'POST /databases/{db-id}/import': of(undefined, {
      ...noDatabase,
      also: ['database.view_password'],
      json: { content: 'SELECT 1;' },
    }),
    'GET /schedules': plain,
    'POST /schedules': [{ json: { name: 'nightly' } }],
    'GET /schedules/{schedule-id}': of(schedule),
    'PUT /schedules/{schedule-id}': of(schedule, { json: { name: 'weekly' } }),
    'DELETE /schedules/{schedule-id}': of(spareSchedule),
    // Without tasks, which need their own permissions.
    'POST /schedules/{schedule-id}/execute': of(schedule, { status: 409 }),
    'POST /schedules/{schedule-id}/cancel': of(schedule),
    'POST /schedules/{schedule-id}/rotate-webhook': of(has.webhook),
    'GET /subusers': plain,
    'POST /subusers': [{ json: { email: has.newEmail, permissions: ['user.create'] } }],
    'PUT /subusers/{subuser-id}': of(subuser, { json: { permissions: ['user.update'] } }),
    'DELETE /subusers/{subuser-id}': of(spareSubuser),
    'GET /subuser-roles': plain,
    'POST /subuser-roles': [{ json: { name: 'inviters', permissions: ['user.create'] } }],
    'PUT /subuser-roles/{role-id}': of(role, { json: { name: 'changed' } }),
    'DELETE /subuser-roles/{role-id}': of(spareRole),
    'GET /files/list': plain,
    'GET /files/contents': [{ query: { path: '/a.txt' } }],
    'GET /files/download': [{ query: { path: '/a.txt' } }],
    'GET /files/uploads': plain,
    // Not a tus request; only uploaders get this answer.
    'POST /files/uploads': [{ status: 412 }],
    'GET /files/uploads/{upload-id}': of(undefined, { status: 404 }),
    'PATCH /files/uploads/{upload-id}': of(undefined, { status: 412 }),
    'DELETE /files/uploads/{upload-id}': of(undefined, { status: 412 }),
    'GET /files/search': [{ query: { name: 'a' } }],
    'PUT /files/write': [{ json: { path: '/a.txt', content: 'three' } }, { json: { path: '/new.txt', content: '' } }],
    'POST /files/create-directory': [{ json: { path: '/made' } }],
    'POST /files/rename': [{ json: { from: '/moved.txt', to: '/renamed.txt' } }],
    'POST /files/copy': [{ json: { path: '/a.txt', to: '/copy.txt' } }],
    'POST /files/delete': [{ json: { files: ['/deleted.txt'] } }],
    'POST /files/chmod': [{ json: { files: [{ file: '/a.txt', mode: '600' }] } }],
    'POST /files/compress': [{ json: { files: ['/a.txt'], name: '/packed.zip' } }],
    'POST /files/decompress': [{ json: { path: '/all.zip', root: '/unpacked' } }],
    // A private address, which is never fetched.
    'POST /files/pull': [{ json: { url: 'http://169.254.169.254/latest/meta-data' }, status: 409 }],
    'GET /files/operations': plain,
    'GET /files/operations/{operation-id}': of(has.operation),
    'POST /files/operations/{operation-id}/cancel': of(has.operation),
    'GET /files/trash': plain,
    'POST /files/trash/{trash-id}/restore': of(has.trashed, { json: {} }),
    'DELETE /files/trash': plain,
    'GET /files/versions': [{ query: { path: '/a.txt' } }],
    'GET /files/versions/{version-id}': of(has.version),
    'POST /files/versions/{version-id}/restore': of(has.version),
  };
}
