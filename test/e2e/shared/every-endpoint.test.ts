import { generateKeyPairSync } from 'node:crypto';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { readEgg } from '@panel/stack';
import { expect } from 'chai';
import { currentStep, TestUsers, totpCode } from '../security/support/users.js';
import { createGame, startGame, untilStatus } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

/*
 * The gateway checks its answers against its declarations (CHECK_RESPONSES), the compiler checks client code against
 * the same ones.
 */
const password = 'a long enough password';
const newPassword = 'another long enough password';

/** Areas with tests of their own. */
const elsewhere =
  /\/(browser|databases|database-hosts|backups|schedules|subusers|subuser-roles|access|store|billing|credits)(\/|$)|\/transfer|\/deletion|\/volumes\/|\/ws$|^GET \/admin\/overview$/;

/** An ed25519 public key in the wire format of SSH. */
function sshKeyBlob(): Buffer {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  return Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.from(x, 'base64url'))]);
}

async function uploadInPieces(id: string, ask: PanelClient['request'], asked: Set<string>, test: SharedStack) {
  const base = `/servers/${id}/files/uploads`;
  const send = async (method: string, url: string, headers: Record<string, string>, body?: string) => {
    asked.add(`${method} ${url === base ? '/servers/{id}/files/uploads' : '/servers/{id}/files/uploads/{upload-id}'}`);
    const authorization = `Bearer ${test.admin.token()}`;
    const sent = { 'tus-resumable': '1.0.0', authorization, ...headers };
    const address = new URL(url.startsWith('/servers') ? `/api/v1${url}` : url, test.stack.baseUrl);
    return fetch(address, { method, headers: sent, ...(body === undefined ? {} : { body }) });
  };
  const begin = { 'upload-length': '6', 'upload-metadata': `filename ${Buffer.from('d.txt').toString('base64')}` };
  const [first, second] = [await send('POST', base, begin), await send('POST', base, begin)];
  const places = [first, second].map(({ headers }) => headers.get('location') ?? '');
  expect([first.status, second.status]).to.deep.equal([201, 201]);
  const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  expect((await send('PATCH', places[0] ?? '', piece, 'one')).status).to.equal(204);
  const [uploadId = ''] = /[^/]+$/.exec(places[0] ?? '') ?? [];
  const one = { params: { id, upload_id: uploadId } };
  const { data } = await ask('GET /servers/{id}/files/uploads/{upload-id}', one);
  expect(data).to.include({ path: '/d.txt', size: 6, offset: 3, completed: false });
  expect((await ask('GET /servers/{id}/files/uploads', { params: { id } })).data).to.have.length(2);
  for (const place of places) expect((await send('DELETE', place, {})).status).to.equal(204);
}

describe('every endpoint', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let users: TestUsers;
  const asked = new Set<string>();

  const counted =
    (client: PanelClient): PanelClient['request'] =>
    async (endpoint, ...options) => {
      asked.add(endpoint);
      return client.request(endpoint, ...options);
    };

  before(async () => {
    test = await sharedStack();
    users = new TestUsers(test.stack.baseUrl, test.admin.token() ?? '');
  });

  const stranger = () => createPanelClient({ baseUrl: test.stack.baseUrl });

  it('answers as declared: endpoints of authentication', async () => {
    const { email } = await users.create({ password });
    const ask = counted(stranger());
    const { data: tokens } = await ask('POST /auth/login', { body: { email, password } });
    if ('requires_2fa' in tokens) throw new Error('nobody has set up a second factor');
    const { data: next } = await ask('POST /auth/refresh', { body: { refresh_token: tokens.refresh_token } });
    expect(next.access_token).not.to.equal(tokens.access_token);
    const session = createPanelClient({ baseUrl: test.stack.baseUrl, token: next.access_token });
    expect((await counted(session)('POST /auth/logout')).status).to.equal(204);
    expect((await ask('POST /auth/password/forgot', { body: { email } })).data).to.deep.equal({ accepted: true });
    const token = await users.readMailedToken(test.stack, email);
    await ask('POST /auth/password/reset', { body: { token, password: newPassword } });
    await stranger().login(email, newPassword);
  });

  it('answers as declared: endpoints of accounts', async () => {
    const { email } = await users.create({ password });
    const person = stranger();
    await person.login(email, password);
    const ask = counted(person);
    await ask('PUT /account', { body: { first_name: 'Ada', language: 'de' } });
    expect((await ask('GET /account')).data).to.include({ email, first_name: 'Ada', two_factor_enabled: false });
    const body = { description: 'a key', allowed_ips: ['127.0.0.0/8'], expires_at: '2099-01-01T00:00:00.000Z' };
    const { data: key } = await ask('POST /account/api-keys', { body });
    expect((await ask('GET /account/api-keys')).data.map(({ id }) => id)).to.deep.equal([key.id]);
    await ask('DELETE /account/api-keys/{key-id}', { params: { key_id: key.id } });
    const publicKey = `ssh-ed25519 ${sshKeyBlob().toString('base64')} laptop`;
    const { data: sshKey } = await ask('POST /account/ssh-keys', { body: { name: 'laptop', public_key: publicKey } });
    expect((await ask('GET /account/ssh-keys')).data.map(({ fingerprint }) => fingerprint)).to.deep.equal([
      sshKey.fingerprint,
    ]);
    await ask('DELETE /account/ssh-keys/{key-id}', { params: { key_id: sshKey.id } });
    await ask('PUT /account/preferences', { body: { theme: 'dark' } });
    expect((await ask('GET /account/preferences')).data).to.deep.equal({ theme: 'dark' });
    await stranger().login(email, password);
    const { data: sessions } = await ask('GET /account/sessions');
    const other = sessions.find(({ current }) => !current);
    await ask('DELETE /account/sessions/{session-id}', { params: { session_id: other?.id ?? '' } });
    await ask('PUT /account/password', { body: { current_password: password, password: newPassword } });
    await waitUntil('the activity log to tell of the sign-in', async () =>
      (await ask('GET /account/activity', { query: { per_page: 50 } })).data.some(
        ({ event }) => event === 'auth:success',
      ),
    );
  });

  it('answers as declared: endpoints of two-factor authentication', async () => {
    const { email, id } = await users.create({ password });
    const person = stranger();
    await person.login(email, password);
    const ask = counted(person);
    const { data: setUp } = await ask('POST /account/2fa', { body: { password } });
    const step = currentStep();
    const { data: on } = await ask('POST /account/2fa/confirm', { body: { code: totpCode(setUp.secret, step) } });
    const { data: challenge } = await ask('POST /auth/login', { body: { email, password } });
    if (!('requires_2fa' in challenge)) throw new Error('a challenge was expected');
    const [first = '', second = ''] = on.recovery_codes;
    await ask('POST /auth/2fa/verify', { body: { token: challenge.token, recovery_code: first } });
    await ask('DELETE /account/2fa', { body: { password, recovery_code: second } });
    await ask('POST /account/2fa', { body: { password } });
    await counted(test.admin)('DELETE /admin/users/{id}/2fa', { params: { id } });
  });

  it('answers as declared: endpoints of users and roles', async () => {
    const ask = counted(test.admin);
    const { data: role } = await ask('POST /admin/roles', {
      body: { name: 'helpers', permissions: ['users.view'], rate_limit_multiplier: 1.25 },
    });
    const ofRole = { params: { id: role.id } };
    await ask('PUT /admin/roles/{id}', { ...ofRole, body: { description: 'they help' } });
    expect((await ask('GET /admin/roles/{id}', ofRole)).data).to.include({ description: 'they help', users_count: 0 });
    expect((await ask('GET /admin/roles')).data.map(({ name }) => name)).to.include('helpers');

    const body = { email: 'of.users@example.com', username: 'of-users', password, role_id: role.id };
    const { data: user } = await ask('POST /admin/users', { body });
    const ofUser = { params: { id: user.id } };
    await ask('PUT /admin/users/{id}', { ...ofUser, body: { last_name: 'Lovelace', external_id: 'e-1' } });
    const person = stranger();
    await person.login(user.email, password);
    const { data: key } = await person.post('/account/api-keys', { body: { description: 'to be taken away' } });
    expect((await ask('GET /admin/users/{id}', ofUser)).data).to.include({ last_name: 'Lovelace', servers_count: 0 });
    const listed = await ask('GET /admin/users', { query: { role_id: role.id, sort: '-email' } });
    expect(listed.data.map(({ id }) => id)).to.deep.equal([user.id]);
    const found = await ask('GET /admin/users', { query: { email: 'OF.users@example.com', external_id: 'e-1' } });
    expect(found.data.map(({ id }) => id)).to.deep.equal([user.id]);
    expect((await ask('GET /admin/users/{id}/api-keys', ofUser)).meta.total).to.equal(1);
    await ask('DELETE /admin/users/{id}/api-keys/{key-id}', { params: { id: user.id, key_id: key.id } });
    expect((await ask('GET /admin/users/{id}/sessions', ofUser)).meta.total).to.equal(1);
    await ask('DELETE /admin/users/{id}/sessions', ofUser);
    await ask('DELETE /admin/users/{id}', ofUser);
    await ask('DELETE /admin/roles/{id}', ofRole);
  });

  it('answers as declared: endpoints of nodes and allocations', async () => {
    const ask = counted(test.admin);
    const { data: existing } = await ask('GET /admin/nodes');
    const { data: node } = await ask('POST /admin/nodes', {
      body: {
        name: 'second',
        fqdn: 'node.example.com',
        runtime: 'process',
        files_address: existing[0]?.files_address ?? '',
        data_root: '/srv/second',
        memory: 1024,
        disk: 1024,
      },
    });
    const ofNode = { params: { id: node.id } };
    await ask('PUT /admin/nodes/{id}', { ...ofNode, body: { maintenance_mode: true, tags: ['eu'] } });
    expect((await ask('GET /admin/nodes/{id}', ofNode)).data).to.include({ maintenance_mode: true });
    expect((await ask('GET /admin/nodes/{id}/metrics', { ...ofNode, query: { step: '60' } })).data.cpu).to.have.length(
      60,
    );
    expect((await ask('GET /admin/nodes/{id}/report', ofNode)).data.missing_volumes).to.deep.equal([]);
    await ask('POST /admin/nodes/{id}/report/accept', ofNode);
    const range = { ip: '127.0.0.1', ports: ['25565', '25570-25571'] };
    const { data: made } = await ask('POST /admin/nodes/{id}/allocations', { ...ofNode, body: range });
    expect(made.map(({ port }) => port)).to.have.members([25565, 25570, 25571]);
    expect((await ask('GET /admin/nodes/{id}/allocations', ofNode)).meta.total).to.equal(3);
    for (const { id } of made) {
      await ask('DELETE /admin/nodes/{id}/allocations/{alloc-id}', { params: { id: node.id, alloc_id: id } });
    }
    await ask('DELETE /admin/nodes/{id}', ofNode);
  });

  it('answers as declared: endpoints of nests and eggs', async () => {
    const ask = counted(test.admin);
    const { data: nest } = await ask('POST /admin/nests', { body: { name: 'Caverns', author: 'me@example.com' } });
    const ofNest = { params: { id: nest.id } };
    const { data: egg } = await ask('POST /admin/nests/{id}/eggs', {
      ...ofNest,
      body: {
        name: 'By hand',
        // JSON does not keep the order of such labels.
        docker_images: { 21: 'busybox:stable', 17: 'busybox:1.36' },
        docker_image: 'busybox:stable',
        startup: './game',
        config: { stop: '^C' },
        variables: [{ name: 'Mode', env_variable: 'MODE', rules: 'required|regex:/^(a|b)$/|max:3' }],
      },
    });
    expect(egg.docker_image).to.equal('busybox:stable');
    expect(egg.variables[0]?.rules).to.deep.equal(['required', 'regex:/^(a|b)$/', 'max:3']);
    const { docker_images, variables } = egg;
    const change = { params: { id: egg.id }, body: { description: 'made by hand', docker_images, variables } };
    expect((await ask('PUT /admin/eggs/{id}', change)).data.docker_image).to.equal('busybox:1.36');
    const chosen = { ...change, body: { docker_images, docker_image: 'busybox:stable' } };
    expect((await ask('PUT /admin/eggs/{id}', chosen)).data.docker_image).to.equal('busybox:stable');
    for (const body of [{ docker_image: 'busybox:stable' }, { docker_images, docker_image: 'evil:1' }]) {
      const refused = ask('PUT /admin/eggs/{id}', { ...change, body }).catch((error: unknown) => error);
      expect(await refused).to.include({ status: 422 });
    }
    expect((await ask('GET /admin/eggs/{id}', { params: { id: egg.id } })).data.description).to.equal('made by hand');
    const { data: imported } = await ask('POST /admin/eggs/import', {
      query: { nest_id: nest.id },
      bytes: readEgg('lantern-caverns'),
      type: 'application/json',
    });
    const { data: replaced } = await ask('POST /admin/eggs/{id}/import', {
      params: { id: egg.id },
      bytes: readEgg('lantern-caverns'),
      type: 'application/json',
    });
    expect(replaced).to.include({ id: egg.id, uuid: egg.uuid, nest_id: nest.id, name: imported.name });
    asked.add('GET /admin/eggs/{id}/export');
    const file = await test.admin.download('/admin/eggs/{id}/export', { params: { id: imported.id } });
    expect(await file.json()).to.have.nested.property('meta.version', 'PTDL_v2');
    expect((await ask('GET /admin/nests/{id}/eggs', ofNest)).meta.total).to.equal(2);
    expect((await ask('GET /admin/nests/{id}', ofNest)).data.eggs_count).to.equal(2);
    expect((await ask('GET /admin/nests', { query: { search: 'caverns' } })).meta.total).to.equal(1);
    const ofEgg = { params: { id: egg.id } };
    const { data: applied } = await ask('POST /admin/eggs/{id}/apply', { ...ofEgg, body: { dry_run: true } });
    expect(applied).to.deep.equal({ servers: [], next_server_id: null });
    const renamed = await ask('PUT /admin/nests/{id}', { ...ofNest, body: { description: 'deep ones' } });
    expect(renamed.data).to.include({ name: 'Caverns', description: 'deep ones', eggs_count: 2 });
    const refused = await ask('DELETE /admin/nests/{id}', ofNest).catch((error: unknown) => error);
    expect(refused).to.include({ status: 409 });
    for (const { id } of [egg, imported]) await ask('DELETE /admin/eggs/{id}', { params: { id } });
    await ask('DELETE /admin/nests/{id}', ofNest);
  });

  it('answers as declared: endpoints of registries', async () => {
    const ask = counted(test.admin);
    const auth = Buffer.from('robot:secret').toString('base64');
    const { data: registry } = await ask('POST /admin/registries', {
      body: { host: 'https://index.docker.io/v1/', auth },
    });
    const of = { params: { id: registry.id } };
    expect(registry).to.include({ host: 'docker.io', egg_id: null, kind: 'password', username: 'robot' });
    const body = { host: 'ghcr.io', identitytoken: 'a token' };
    expect((await ask('PUT /admin/registries/{id}', { ...of, body })).data).to.include({
      host: 'ghcr.io',
      kind: 'identity_token',
      username: '',
    });
    for (const wrong of [
      { auth, password: 'secret' },
      { identity_token: 'a', identitytoken: 'b' },
      { host: 'quay.io' },
    ]) {
      const refused = ask('PUT /admin/registries/{id}', { ...of, body: wrong }).catch((error: unknown) => error);
      expect(await refused, JSON.stringify(wrong)).to.include({ status: 422 });
    }
    expect((await ask('GET /admin/registries/{id}', of)).data).to.include({ host: 'ghcr.io' });
    expect((await ask('GET /admin/registries', { query: { search: 'GHCR' } })).meta.total).to.equal(1);
    await ask('DELETE /admin/registries/{id}', of);
  });

  it('answers as declared: endpoints of servers', async () => {
    const ask = counted(test.admin);
    const { id } = await createGame(test, { name: 'every', allocations_limit: 3 });
    const of = { params: { id } };
    asked.add('POST /admin/servers');
    expect((await ask('GET /servers', { query: { include: 'resources', search: 'every' } })).data).to.have.lengthOf(1);
    expect((await ask('GET /admin/servers', { query: { status: 'offline', sort: '-name' } })).meta.total).to.equal(1);
    await ask('PUT /servers/{id}', { ...of, body: { description: 'once' } });
    expect((await ask('GET /admin/servers/{id}', of)).data.description).to.equal('once');
    await ask('PUT /admin/servers/{id}', { ...of, body: { memory: 192, external_id: 'x' } });
    const { data: known } = await ask('GET /admin/servers/{id}', of);
    const by = { user_id: known.user_id, node_id: known.node_id, egg_id: known.egg_id, external_id: 'x' };
    for (const [name, value] of Object.entries(by)) {
      const { data: found } = await ask('GET /admin/servers', { query: { [name]: value } });
      expect(
        found.map((server) => server.id),
        name,
      ).to.include(id);
      const other = name === 'external_id' ? 'y' : known.id;
      expect((await ask('GET /admin/servers', { query: { [name]: other } })).meta.total, name).to.equal(0);
    }
    await ask('PUT /servers/{id}/startup', { ...of, body: { environment: { TICK_SECONDS: '2' } } });
    const { data: startup } = await ask('GET /servers/{id}/startup', of);
    const tick = startup.variables.find(({ env_variable: name }) => name === 'TICK_SECONDS');
    expect(tick?.server_value).to.equal('2');
    const feature = { ...of, body: { feature: 'eula' as const } };
    const refused = await ask('POST /servers/{id}/features', feature).catch((error: unknown) => error);
    expect(refused).to.deep.include({ status: 409, code: 'conflict' });
    const { data: address } = await ask('POST /servers/{id}/allocations', of);
    const ofAddress = { params: { id, allocation_id: address.id } };
    await ask('PUT /servers/{id}/allocations/{allocation-id}', { ...ofAddress, body: { notes: 'queries' } });
    expect((await ask('GET /servers/{id}/allocations', of)).data.map(({ notes }) => notes)).to.include('queries');
    await ask('DELETE /servers/{id}/allocations/{allocation-id}', ofAddress);

    await startGame(test.admin, id);
    const console = await test.admin.openConsole(id);
    await ask('POST /servers/{id}/command', { ...of, body: { command: 'say once' } });
    await console.next('console_output', { where: ({ message }) => message.includes('[say] once') });
    expect((await ask('GET /servers/{id}/resources', of)).data.state).to.equal('running');
    expect((await ask('GET /servers/{id}/console', { ...of, query: { limit: 5 } })).data.lines).not.to.have.length(0);
    expect((await ask('GET /servers/{id}/metrics', { ...of, query: { step: '60' } })).data.cpu).to.have.length(60);
    const { data: kill } = await ask('POST /servers/{id}/power', { ...of, body: { action: 'kill' } });
    const ofKill = { params: { id, operation_id: kill.operation_id } };
    expect((await ask('GET /servers/{id}/power/{operation-id}', ofKill)).data.action).to.equal('kill');
    expect((await ask('GET /servers/{id}/operations/{operation-id}', ofKill)).data).to.include({
      kind: 'power',
      action: 'kill',
    });
    await untilStatus(test.admin, id, 'offline');
    await console.close();

    await ask('POST /admin/servers/{id}/suspend', of);
    expect((await ask('GET /servers/{id}', of)).data).to.include({ status: 'suspended', suspended: true });
    await ask('POST /admin/servers/{id}/unsuspend', of);
    await ask('POST /servers/{id}/reinstall', of);
    await untilStatus(test.admin, id, 'offline');
    await ask('POST /admin/servers/{id}/reinstall', of);
    await untilStatus(test.admin, id, 'offline');
    expect((await ask('GET /servers/{id}/install-log', of)).data).not.to.have.lengthOf(0);
    await ask('GET /servers/{id}/activity', of);
    await ask('DELETE /admin/servers/{id}', of);
    await waitUntil('the deletion', async () => (await test.admin.get('/servers')).meta.total === 0);
  });

  it('answers as declared: endpoints of files', async () => {
    const ask = counted(test.admin);
    const { id } = await createGame(test, { name: 'files' });
    const of = { params: { id } };
    await ask('POST /servers/{id}/files/create-directory', { ...of, body: { path: '/notes' } });
    await ask('PUT /servers/{id}/files/write', { ...of, body: { path: '/notes/a.txt', content: 'grüße' } });
    async function* pieces() {
      yield Buffer.from('one ');
      yield Buffer.from('two');
    }
    const written = await ask('PUT /servers/{id}/files/write', { ...of, query: { path: '/b.txt' }, bytes: pieces() });
    expect(written.data).to.include({ path: '/b.txt', size: 7 });
    const { data: file } = await ask('GET /servers/{id}/files/contents', { ...of, query: { path: '/notes/a.txt' } });
    expect(file).to.include({ content: 'grüße', encoding: 'utf-8' });
    const part = { ...of, query: { path: '/b.txt' }, headers: { range: 'bytes=4-' } };
    expect(await (await test.admin.download('/servers/{id}/files/contents', part)).text()).to.equal('two');
    const { data: link } = await ask('GET /servers/{id}/files/download', { ...of, query: { path: '/notes' } });
    asked.add('GET /downloads/{id}/{link-id}');
    const archive = await fetch(`${test.stack.baseUrl}${link.url}`);
    expect([archive.status, archive.headers.get('content-type')]).to.deep.equal([200, 'application/gzip']);
    expect((await archive.arrayBuffer()).byteLength).to.be.greaterThan(100);
    expect((await fetch(`${test.stack.baseUrl}${link.url}`)).status).to.equal(404);
    const { data: second } = await ask('GET /servers/{id}/files/download', { ...of, query: { path: '/b.txt' } });
    const resumed = await fetch(`${test.stack.baseUrl}${second.url}`, { headers: { range: 'bytes=4-' } });
    expect([resumed.status, await resumed.text()]).to.deep.equal([206, 'two']);
    await uploadInPieces(id, ask, asked, test);
    await ask('POST /servers/{id}/files/copy', { ...of, body: { path: '/b.txt', to: '/c.txt' } });
    await ask('POST /servers/{id}/files/rename', { ...of, body: { from: '/c.txt', to: '/notes/c.txt' } });
    const { data: list } = await ask('GET /servers/{id}/files/list', { ...of, query: { directory: '/notes' } });
    expect(list.map(({ name }) => name)).to.have.members(['a.txt', 'c.txt']);
    await ask('POST /servers/{id}/files/chmod', { ...of, body: { files: [{ file: '/b.txt', mode: '600' }] } });
    const packing = { root: '/', files: ['/notes', '/b.txt'], name: '/all.zip' };
    const { data: packed } = await ask('POST /servers/{id}/files/compress', { ...of, body: packing });
    expect(packed).to.include({ kind: 'compress', status: 'completed', path: '/all.zip' });
    await ask('POST /servers/{id}/files/decompress', { ...of, body: { path: '/all.zip', root: '/copy' } });
    const { data: found } = await ask('GET /servers/{id}/files/search', { ...of, query: { content: 'grüße' } });
    expect(found.map(({ path }) => path)).to.deep.equal(['/copy/notes/a.txt', '/notes/a.txt']);
    const { data: operations } = await ask('GET /servers/{id}/files/operations', of);
    expect(operations.map(({ kind }) => kind)).to.deep.equal(['decompress', 'compress']);
    const one = { params: { id, operation_id: packed.id } };
    expect((await ask('GET /servers/{id}/files/operations/{operation-id}', one)).data).to.deep.equal(packed);
    expect((await ask('GET /servers/{id}/operations/{operation-id}', one)).data).to.include({
      kind: 'compress',
      state: 'completed',
    });
    expect((await ask('POST /servers/{id}/files/operations/{operation-id}/cancel', one)).data.status).to.equal(
      'completed',
    );
    const metadata = { url: 'http://169.254.169.254/latest/meta-data' };
    const refused = await ask('POST /servers/{id}/files/pull', { ...of, body: metadata }).catch(
      (error: unknown) => error,
    );
    expect(refused).to.include({ status: 409 });
    const removed = await ask('POST /servers/{id}/files/delete', { ...of, body: { files: ['/notes', '/b.txt'] } });
    expect(removed.data.files).to.equal(2);
    const { data: trash } = await ask('GET /servers/{id}/files/trash', of);
    const deleted = trash.find(({ path }) => path === '/b.txt');
    const trashed = { params: { id, trash_id: deleted?.id ?? '' }, body: {} };
    expect((await ask('POST /servers/{id}/files/trash/{trash-id}/restore', trashed)).data.path).to.equal('/b.txt');
    await ask('DELETE /servers/{id}/files/trash', of);
    await ask('PUT /servers/{id}/files/write', { ...of, body: { path: '/b.txt', content: 'three' } });
    const { data: versions } = await ask('GET /servers/{id}/files/versions', { ...of, query: { path: '/b.txt' } });
    const version = { params: { id, version_id: versions[0]?.id ?? '' } };
    expect((await ask('GET /servers/{id}/files/versions/{version-id}', version)).data.content).to.equal('one two');
    await ask('POST /servers/{id}/files/versions/{version-id}/restore', version);
  });

  it('answers as declared: endpoints of settings, activity and health', async () => {
    const ask = counted(test.admin);
    await ask('PUT /admin/settings', { body: { general: { name: 'Every' }, mail: { password: 'secret' } } });
    const { data: settings } = await ask('GET /admin/settings');
    expect([settings.general.name, settings.mail.password]).to.deep.equal(['Every', '********']);
    expect((await ask('POST /admin/settings/email/test', { body: {} })).data.accepted).to.equal(true);
    const read = await ask('GET /admin/test-clock').catch((error: unknown) => error);
    const moved = await ask('POST /admin/test-clock', { body: { advance_seconds: 1 } }).catch(
      (error: unknown) => error,
    );
    for (const refused of [read, moved]) expect(refused).to.include({ status: 409 });
    const { data: mails } = await ask('GET /admin/settings/mail/templates');
    expect(mails.languages).to.deep.equal(['en', 'de', 'ar']);
    for (const name of mails.names) {
      const of = { params: { name }, query: { language: 'de-AT' } };
      const { data: preview } = await ask('GET /admin/settings/mail/templates/{name}', of);
      expect(preview.html, name).to.include('<html lang="de"');
    }
    await waitUntil('five entries in the activity log', async () => {
      const { data, meta } = await ask('GET /admin/activity', { query: { per_page: 5 } });
      return data.length === 5 && meta.per_page === 5;
    });
    const { data: overview } = await ask('GET /admin/overview');
    const { meta: all } = await ask('GET /admin/servers', { query: { per_page: 1 } });
    expect(overview.servers.total).to.equal(all.total);
    expect(overview.users?.total).to.be.above(0);
    expect(overview.nodes?.map(({ status }) => status)).to.include('online');
    const image = Buffer.from('89504e470d0a1a0a0000', 'hex');
    const logo = `data:image/png;base64,${image.toString('base64')}`;
    await ask('PUT /admin/settings', { body: { brand: { name: 'Every Brand', logo } } });
    await waitUntil('the new brand', async () => {
      const { data: brand } = await ask('GET /brand');
      return brand.name === 'Every Brand' && brand.logo !== null;
    });
    asked.add('GET /brand/logo');
    const served = await test.admin.download('/brand/logo');
    expect(Buffer.from(await served.arrayBuffer())).to.deep.equal(image);
  });

  it('calls every endpoint', async () => {
    asked.add('GET /openapi.json');
    const document = (await (await test.admin.download('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { responses: object }>>;
    };
    const built = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(() => path.startsWith('/api/v1/'))
        .map(([method]) => `${method.toUpperCase()} ${path.slice('/api/v1'.length)}`),
    );
    expect(built.filter((endpoint) => !asked.has(endpoint) && !elsewhere.test(endpoint))).to.deep.equal([]);
  });
});
