import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError, type Backup } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type BreakableProxy, startBreakableProxy } from '@panel/testing';
import { docker, ensureBusybox, needEngine } from './support/engine.js';
import { createGame, startGame, untilStatus } from './support/game.js';
import { addNode, type Place } from './support/nodes.js';
import { bootStack, type TestStack } from './support/stack.js';

const engineSocket = '/var/run/docker.sock';

describe('backups elsewhere of a node that is gone', function () {
  this.timeout(240_000);
  let test: TestStack;
  let directory: string;
  let proxies: BreakableProxy[] = [];
  /** Its engine and its files service are reached through proxies. */
  let lost: Place;
  let target: Place;

  before(async function () {
    await needEngine(this);
    await ensureBusybox();
    directory = await mkdtemp(path.join(tmpdir(), 'panel-dead-node-'));
    const repository = path.join(directory, 'repository');
    const files = { BACKUP_STORAGE: 'restic', BACKUP_RESTIC_REPOSITORY: repository };
    test = await bootStack(
      { ...files, BACKUP_RESTIC_PASSWORD: 'a password of the test' },
      { files: 2, overrides: { servers: { NODE_LEASE_TTL: '4s', STOP_GRACE: '5s' } } },
    );
    const [host = '', port = ''] = test.stack.grpc.files.split(':');
    const engine = path.join(directory, 'engine.sock');
    const filesProxy = await startBreakableProxy({ host, port: Number(port) });
    proxies = [filesProxy, await startBreakableProxy({ path: engineSocket }, engine)];
    const { data } = await test.admin.get('/admin/nodes');
    const dataRoot = data.find(({ name }) => name === 'local')?.data_root ?? '';
    const ofLost = { address: `127.0.0.1:${filesProxy.port}`, dataRoot };
    const onDocker = { runtime: 'docker' as const, engine: { url: `unix://${engine}` } };
    lost = await addNode(test, 'lost', onDocker, '26100-26109', ofLost);
    target = await addNode(test, 'target', { runtime: 'process' }, '26110-26119');
  });
  after(async () => {
    await test?.stop();
    for (const proxy of proxies) await proxy.close();
    await rm(directory, { recursive: true, force: true });
  });
  afterEach(async () => giveBack());

  const lostNode = async () => (await test.admin.get('/admin/nodes/{id}', { params: { id: lost.id } })).data;
  async function lose(): Promise<void> {
    for (const proxy of proxies) await proxy.refuse();
    await waitUntil('the node to be offline', async () => (await lostNode()).status === 'offline', 60_000);
  }
  async function giveBack(): Promise<void> {
    for (const proxy of proxies) await proxy.mend();
    const isUsable = async () => {
      const { status, problem } = await lostNode();
      return status === 'online' && problem === null;
    };
    await waitUntil('the node to be online and to get servers', isUsable, 60_000);
  }
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof ApiError ? [error.status, error.details?.['reason']] : error),
    );
  /** On the engine of the node that was lost. */
  const withoutInstance = async (id: string) =>
    waitUntil(
      'the removal of the instance',
      async () => (await docker.listContainers({ all: true })).every(({ Names }) => !Names.join().includes(id)),
      60_000,
    );
  const viewOf = async (id: string) => (await test.admin.get('/admin/servers/{id}', { params: { id } })).data;
  const backupsOf = async (id: string) => (await test.admin.get('/servers/{id}/backups', { params: { id } })).data;
  const isThere = async (id: string) => (await failureOf(viewOf(id))) === 'none';

  /** Runs on the node that will be lost, with a completed backup of `note.txt` as it was. */
  async function gameWithBackup(): Promise<{ readonly id: string; readonly backup: Backup; readonly volume: string }> {
    const of = { params: { id: lost.id }, query: { per_page: 100 } };
    const { data: allocations } = await test.admin.get('/admin/nodes/{id}/allocations', of);
    const free = allocations.find(({ assigned }) => !assigned)?.id ?? '';
    const { id } = await createGame(test, { node_id: lost.id, allocation_id: free, backups_limit: 2 });
    const volume = path.join(lost.dataRoot, 'servers', id);
    await writeFile(path.join(volume, 'note.txt'), 'as it was');
    const { data } = await test.admin.post('/servers/{id}/backups', { params: { id }, body: { name: 'good' } });
    const backup = await waitUntil(
      'the backup',
      async () =>
        (await backupsOf(id)).find(({ id: one, status }) => one === data.id && status === 'completed') ?? null,
      90_000,
    );
    await writeFile(path.join(volume, 'note.txt'), 'newer than the backup');
    await startGame(test.admin, id);
    return { id, backup, volume };
  }

  it('reads and deletes them, and restores them onto another node', async () => {
    const { id, backup, volume } = await gameWithBackup();
    const to = { params: { id }, body: { node_id: target.id, backup_id: backup.id } };
    expect(await failureOf(test.admin.post('/admin/servers/{id}/transfer', to))).to.deep.equal([409, 'node_answers']);
    await lose();

    const one = { params: { id, backup_id: backup.id } };
    expect((await backupsOf(id)).map(({ name }) => name)).to.deep.equal(['good']);
    const { data: entries } = await test.admin.get('/servers/{id}/backups/{backup-id}/files', one);
    expect(entries.map(({ name }) => name)).to.include('note.txt');
    const archive = await test.admin.download('/servers/{id}/backups/{backup-id}/download', one);
    expect((await archive.arrayBuffer()).byteLength).to.be.greaterThan(100);
    const restore = test.admin.post('/servers/{id}/backups/{backup-id}/restore', one);
    expect(await failureOf(restore)).to.deep.equal([409, 'node_gone']);

    await test.admin.post('/admin/servers/{id}/transfer', to);
    await waitUntil('the recovery', async () => (await viewOf(id)).node_id === target.id, 90_000);
    await untilStatus(test.admin, id, 'running', 60_000);
    expect((await viewOf(id)).last_transfer).to.include({ outcome: 'completed', target_node_id: target.id });
    expect(await readFile(path.join(target.dataRoot, 'servers', id, 'note.txt'), 'utf8')).to.equal('as it was');

    // What runs there is ended when it is back, and its newer files stay.
    await giveBack();
    await withoutInstance(id);
    await untilStatus(test.admin, id, 'running');
    expect(await readFile(path.join(volume, 'note.txt'), 'utf8')).to.equal('newer than the backup');
    const { data } = await test.admin.get('/admin/nodes/{id}/report', { params: { id: lost.id } });
    // The engine has the instances of other test files too.
    const { orphan_instances: instances, ...report } = data;
    expect(instances).not.to.include(id);
    const server = { id, name: 'game', node_id: target.id };
    const sizeBytes = report.orphan_volumes[0]?.size_bytes ?? 0;
    expect(sizeBytes).to.be.above(0);
    expect(report).to.deep.equal({
      orphan_volumes: [{ server_id: id, server, size_bytes: sizeBytes }],
      missing_volumes: [],
      database_is_older: false,
    });
    const remove = async (node: Place) =>
      test.admin.delete('/admin/nodes/{id}/volumes/{server-id}', { params: { id: node.id, server_id: id } });
    expect(await failureOf(remove(target))).to.deep.equal([409, 'volume_in_use']);
    await remove(lost);
    expect(existsSync(volume)).to.equal(false);
    await test.admin.delete('/servers/{id}/backups/{backup-id}', one);
    expect(await backupsOf(id)).to.deep.equal([]);
  });

  it('retains them when a server is deleted by force, and deletes them when it does not keep them', async () => {
    const [retained, dropped] = [await gameWithBackup(), await gameWithBackup()];
    await lose();
    for (const { id, backup } of [retained, dropped]) {
      const query = { force: 'true' as const, keep_backups: String(id === retained.id) as 'true' | 'false' };
      await test.admin.delete('/admin/servers/{id}', { params: { id }, query });
      await waitUntil('the deletion', async () => !(await isThere(id)), 60_000);
      const { data: listed } = await test.admin.get('/admin/backups');
      expect(listed.some(({ id: one }) => one === backup.id)).to.equal(id === retained.id);
    }
    const snapshots = path.join(directory, 'repository', dropped.id, 'snapshots');
    expect(existsSync(snapshots)).to.equal(false);
    const params = { backup_id: retained.backup.id };
    const archive = await test.admin.download('/admin/backups/{backup-id}/download', { params });
    expect((await archive.arrayBuffer()).byteLength).to.be.greaterThan(100);
    await test.admin.delete('/admin/backups/{backup-id}', { params });
    expect((await test.admin.get('/admin/backups')).data).to.deep.equal([]);
    await giveBack();
    for (const { id } of [retained, dropped]) await withoutInstance(id);
  });

  it('takes back the deletion of a server that waits for its node', async () => {
    const { id } = await gameWithBackup();
    await lose();
    const params = { id };
    const waiting = await test.admin.delete('/admin/servers/{id}', { params });
    expect(JSON.stringify(waiting)).to.include('the node lost does not answer');
    expect((await viewOf(id)).operation).to.include({ kind: 'deleting' });
    expect((await viewOf(id)).operation?.problem).to.include('can be taken back');
    await test.admin.delete('/admin/servers/{id}/deletion', { params });
    expect(await viewOf(id)).to.include({ operation: null });
    const again = test.admin.delete('/admin/servers/{id}/deletion', { params });
    expect(await failureOf(again)).to.deep.equal([409, 'no_deletion']);
    await giveBack();
    await startGame(test.admin, id);
    expect(await readFile(path.join(lost.dataRoot, 'servers', id, 'note.txt'), 'utf8')).to.include('newer');
  });
});
