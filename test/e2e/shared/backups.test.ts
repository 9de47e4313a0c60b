import { createHash } from 'node:crypto';
import { ApiError, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type Answer, send } from '../security/support/requests.js';
import { createGame, power, startGame, untilStatus } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const { reason } = error.details;
      return `${error.status} ${typeof reason === 'string' ? reason : error.code}`;
    },
  );

describe('backups through the API', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let id: string;
  const base = () => `/api/v1/servers/${id}`;
  const token = () => test.admin.token() ?? '';
  const call = async (path: string, more: Parameters<typeof send>[2] = {}): Promise<Answer> =>
    send(test.stack.baseUrl, `${base()}${path}`, { token: token(), ...more });

  before(async () => {
    test = await sharedStack();
    ({ id } = await createGame(test, { backups_limit: 3 }));
  });

  const write = async (name: string, content: string) =>
    test.admin.put('/servers/{id}/files/write', { params: { id }, body: { path: name, content } });
  const read = async (name: string) =>
    (await test.admin.get('/servers/{id}/files/contents', { params: { id }, query: { path: name } })).data.content;
  const list = async (client: PanelClient = test.admin) =>
    (await client.get('/servers/{id}/backups', { params: { id } })).data;
  const one = async (backupId: string) =>
    (await test.admin.get('/servers/{id}/backups/{backup-id}', { params: { id, backup_id: backupId } })).data;
  const create = async (body: { name?: string; rotate?: boolean } = {}) =>
    (await test.admin.post('/servers/{id}/backups', { params: { id }, body })).data;
  const completed = async (backupId: string) => {
    await waitUntil('the backup to end', async () => (await one(backupId)).status !== 'pending', 60_000);
    const backup = await one(backupId);
    expect(backup.error).to.equal(null);
    return backup;
  };
  const remove = async (backupId: string) =>
    test.admin.delete('/servers/{id}/backups/{backup-id}', { params: { id, backup_id: backupId } });
  const restore = async (backupId: string, body: { truncate?: boolean; paths?: string[] } = {}) =>
    test.admin.post('/servers/{id}/backups/{backup-id}/restore', { params: { id, backup_id: backupId }, body });

  it('makes a backup of a running server, which keeps running', async () => {
    await write('/note.txt', 'old');
    await startGame(test.admin, id);
    const pending = await create({ name: 'before the update' });
    expect(pending).to.deep.include({ status: 'pending', name: 'before the update', storage: 'node', checksum: null });
    const backup = await completed(pending.id);
    expect(backup.status).to.equal('completed');
    expect(backup.bytes).to.be.greaterThan(0);
    expect((await test.admin.get('/servers/{id}', { params: { id } })).data.status).to.equal('running');
    expect(await codeOf(restore(backup.id))).to.equal('409 server_running');
    await power(test.admin, id, 'stop');
    await untilStatus(test.admin, id, 'offline');
  });

  it('sends a backup with its length and entity tag, and in ranges', async () => {
    const [backup] = await list();
    const path = `${base()}/backups/${backup?.id}/download`;
    const headers = { authorization: `Bearer ${token()}` };
    const whole = await fetch(`${test.stack.baseUrl}${path}`, { headers });
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get('content-type')).to.equal('application/gzip');
    expect(Number(whole.headers.get('content-length'))).to.equal(backup?.bytes);
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).to.equal(backup?.checksum);
    const etag = whole.headers.get('etag') ?? '';
    const part = await fetch(`${test.stack.baseUrl}${path}`, { headers: { ...headers, range: 'bytes=10-19' } });
    expect(part.status).to.equal(206);
    expect(part.headers.get('content-range')).to.equal(`bytes 10-19/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer())).to.deep.equal(bytes.subarray(10, 20));
    const last = await fetch(`${test.stack.baseUrl}${path}`, { headers: { ...headers, range: 'bytes=-5' } });
    expect(Buffer.from(await last.arrayBuffer())).to.deep.equal(bytes.subarray(-5));
    const same = await fetch(`${test.stack.baseUrl}${path}`, { headers: { ...headers, 'if-none-match': etag } });
    expect(same.status).to.equal(304);
    const beyond = await fetch(`${test.stack.baseUrl}${path}`, {
      headers: { ...headers, range: `bytes=${bytes.length}-` },
    });
    expect(beyond.status).to.equal(416);
  });

  it('lists the files of a backup', async () => {
    const [backup] = await list();
    const params = { id, backup_id: backup?.id ?? '' };
    const { data, meta } = await test.admin.get('/servers/{id}/backups/{backup-id}/files', { params });
    expect(data.map(({ path }) => path)).to.include('/note.txt');
    expect(meta).to.deep.include({ truncated: false });
  });

  it('restores a backup, and locks the server meanwhile', async () => {
    const [backup] = await list();
    await write('/note.txt', 'new');
    await write('/later.txt', 'kept');
    const { data } = await restore(backup?.id ?? '');
    expect(data.operation_id).to.match(/^[0-9a-f-]{36}$/);
    const during = await codeOf(restore(backup?.id ?? ''));
    expect(during).to.be.oneOf(['409 server_locked', 'none']);
    await untilStatus(test.admin, id, 'offline', 60_000);
    expect([await read('/note.txt'), await read('/later.txt')]).to.deep.equal(['old', 'kept']);
    await restore(backup?.id ?? '', { truncate: true });
    await untilStatus(test.admin, id, 'offline', 60_000);
    expect((await call('/files/contents?path=/later.txt')).status).to.equal(404);
    expect((await one(backup?.id ?? '')).restored_at).to.be.a('string');
  });

  it('locks and deletes backups', async () => {
    const [backup] = await list();
    const params = { id, backup_id: backup?.id ?? '' };
    const { data } = await test.admin.post('/servers/{id}/backups/{backup-id}/lock', { params, body: {} });
    expect(data.is_locked).to.equal(true);
    expect(await codeOf(remove(params.backup_id))).to.equal('409 backup_locked');
    await test.admin.post('/servers/{id}/backups/{backup-id}/lock', { params, body: { is_locked: false } });
    await remove(params.backup_id);
    expect(await codeOf(remove(params.backup_id))).to.equal('404 not_found');
    expect(await list()).to.deep.equal([]);
  });

  it('holds the limit against 20 parallel requests, and rotates on request', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, async () => codeOf(create())));
    expect(codes.filter((code) => code === 'none')).to.have.length(3);
    expect(new Set(codes)).to.deep.equal(new Set(['none', '409 backup_limit']));
    const before = await list();
    for (const { id: backupId } of before) await completed(backupId);
    const next = await completed((await create({ rotate: true })).id);
    await waitUntil('the oldest to go', async () => (await list()).length === 3);
    expect((await list()).map((backup) => backup.id)).to.include(next.id);
  });

  it('refuses bad patterns and names', async () => {
    for (const json of [
      { ignored_files: ['../../etc'] },
      { ignored_files: ['x'.repeat(256)] },
      { name: 'two\nlines' },
      { name: 'x'.repeat(192) },
      { unknown: true },
    ]) {
      expect((await call('/backups', { method: 'POST', json })).status, JSON.stringify(json)).to.equal(422);
    }
  });

  it('answers nothing while the server is suspended', async () => {
    await test.admin.post('/admin/servers/{id}/suspend', { params: { id } });
    for (const [method, path] of [
      ['GET', '/backups'],
      ['POST', '/backups'],
    ] as const) {
      const { status, body } = await call(path, { method, ...(method === 'POST' ? { json: {} } : {}) });
      expect([status, body.error?.code], `${method} ${path}`).to.deep.equal([409, 'server_locked']);
    }
    await test.admin.post('/admin/servers/{id}/unsuspend', { params: { id } });
  });

  it('notes down what was done', async () => {
    await waitUntil('the activity log', async () => {
      const { data } = await test.admin.get('/servers/{id}/activity', { params: { id }, query: { per_page: 100 } });
      const events = new Set(data.map(({ event }) => event));
      return ['start', 'complete', 'download', 'restore', 'restore-complete', 'lock', 'unlock', 'delete'].every(
        (name) => events.has(`server:backup.${name}`),
      );
    });
  });

  it('keeps the backups of a deleted server for staff, when the deletion says so', async () => {
    const { id: other } = await createGame(test, { name: 'short-lived', backups_limit: 1 });
    const { data: begun } = await test.admin.post('/servers/{id}/backups', { params: { id: other }, body: {} });
    const params = { id: other, backup_id: begun.id };
    const shown = async () => (await test.admin.get('/servers/{id}/backups/{backup-id}', { params })).data;
    await waitUntil('the backup to end', async () => (await shown()).status === 'completed', 60_000);
    const { checksum } = await shown();
    await test.admin.delete('/admin/servers/{id}', { params: { id: other }, query: { keep_backups: 'true' } });
    const retained = async () =>
      (await test.admin.get('/admin/backups', { query: { server_id: other } })).data.map((one) => ({ ...one }));
    const [found] = await waitUntil('the kept backup', async () => {
      const all = await retained();
      return all.length > 0 ? all : null;
    });
    expect(found).to.deep.include({ id: begun.id, server_id: other, server_name: 'short-lived', checksum });
    expect(Date.parse(found?.expires_at ?? '')).to.be.greaterThan(Date.now() + 29 * 24 * 60 * 60_000);
    const url = `/api/v1/admin/backups/${begun.id}`;
    const { status, headers } = await send(test.stack.baseUrl, `${url}/download`, { token: token() });
    expect([status, headers['etag']]).to.deep.equal([200, `"${checksum}"`]);
    await test.admin.delete('/admin/backups/{backup-id}', { params: { backup_id: begun.id } });
    expect(await retained()).to.deep.equal([]);
    expect(await codeOf(test.admin.delete('/admin/backups/{backup-id}', { params: { backup_id: begun.id } }))).to.equal(
      '404 not_found',
    );
  });
});
