import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ApiError } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame, power, startGame, untilStatus } from './support/game.js';
import { bootStack, type TestStack } from './support/stack.js';

const run = promisify(execFile);

describe('node whose disk is not mounted', function () {
  this.timeout(240_000);
  let test: TestStack;
  let directory = '';
  const disk = () => path.join(directory, 'disk');
  const dataRoot = () => path.join(directory, 'data');
  const mount = async () => run('mount', ['--bind', disk(), dataRoot()]);
  const unmount = async () => run('umount', ['-l', dataRoot()]);

  before(async function () {
    if (process.getuid?.() !== 0) this.skip();
    directory = await mkdtemp(path.join(tmpdir(), 'panel-unmounted-'));
    await chmod(directory, 0o711);
    for (const each of [disk(), dataRoot()]) await mkdir(each, { mode: 0o711 });
    await mount();
    test = await bootStack({}, { overrides: { files: { DATA_ROOT: dataRoot(), MIN_FREE_DISK_MB: '0' } } });
  });
  after(async () => {
    await test?.stop();
    if (directory === '') return;
    await unmount();
    await rm(directory, { recursive: true });
  });

  const node = async () => {
    const { data } = await test.admin.get('/admin/nodes');
    const [only] = data;
    if (!only) throw new Error('no node');
    return only;
  };
  const statusOf = async (work: Promise<unknown>) =>
    work.then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.status : String(error)),
    );

  it('keeps worlds and backups, starts nothing in their place, and goes on when it is mounted', async () => {
    const { id } = await createGame(test, { backups_limit: 3 });
    await startGame(test.admin, id);
    const params = { id };
    await test.admin.put('/servers/{id}/files/write', { params, body: { path: '/world.dat', content: 'a world' } });
    const { data: made } = await test.admin.post('/servers/{id}/backups', { params, body: {} });
    const backups = async () => (await test.admin.get('/servers/{id}/backups', { params })).data;
    await waitUntil('the backup', async () => (await backups()).some(({ status }) => status === 'completed'), 60_000);
    const { data_root_id: own } = await node();

    // A machine that boots without its disk.
    await test.stack.kill('servers', 'SIGKILL');
    await test.stack.kill('files', 'SIGKILL');
    await unmount();
    await test.stack.whenReady('files');
    await test.stack.whenReady('servers');
    await waitUntil('the node to be offline', async () => (await node()).status === 'offline', 60_000);
    const { status_reason: reason, data_root_id: bound } = await node();
    expect(reason).to.include('is it mounted?').and.to.include(String(own));
    expect(bound).to.equal(own);
    await power(test.admin, id, 'kill').catch(() => undefined);
    await untilStatus(test.admin, id, 'offline', 60_000);
    await power(test.admin, id, 'start').catch(() => undefined);
    const rotated = test.admin.post('/servers/{id}/backups', { params, body: { rotate: true } });
    expect(await statusOf(rotated)).to.equal(503);
    await untilStatus(test.admin, id, 'offline', 60_000);
    expect(await readdir(path.join(dataRoot(), 'servers'))).to.deep.equal([]);

    await test.stack.kill('files', 'SIGKILL');
    await mount();
    await test.stack.kill('files', 'SIGKILL');
    await test.stack.whenReady('files');
    await waitUntil('the node to be online', async () => (await node()).status === 'online', 60_000);
    expect(existsSync(path.join(dataRoot(), 'servers', id, 'world.dat'))).to.equal(true);
    expect((await backups()).map((backup) => [backup.id, backup.status])).to.deep.include([made.id, 'completed']);
    await startGame(test.admin, id);
    await power(test.admin, id, 'kill');
    await untilStatus(test.admin, id, 'offline');
  });
});
