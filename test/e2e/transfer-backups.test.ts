import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type AdminServer, ApiError } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { createGame } from './support/game.js';
import { addNode, type Place } from './support/nodes.js';
import { bootStack, type TestStack } from './support/stack.js';

/** Large enough to interrupt the copy of a backup. */
const largeMb = 100;
const overrides = { servers: { NODE_LEASE_TTL: '4s', STOP_GRACE: '5s' } };

describe('backups of a server that is transferred', function () {
  this.timeout(240_000);
  let test: TestStack;
  let id: string;
  let a: Place;
  let b: Place;
  /** Checksums by the id of the backup. */
  const checksums = new Map<string, string | null>();

  before(async () => {
    test = await bootStack({}, { files: 2, overrides });
    const { data } = await test.admin.get('/admin/nodes');
    const local = data.find(({ name }) => name === 'local');
    a = { id: local?.id ?? '', dataRoot: local?.data_root ?? '' };
    b = await addNode(test, 'second', { runtime: 'process' }, '26000-26009');
    ({ id } = await createGame(test, { backups_limit: 3, disk: 4096 }));
    await writeFile(path.join(a.dataRoot, 'servers', id, 'note.txt'), 'as it was');
    await create('small');
    await writeFile(path.join(a.dataRoot, 'servers', id, 'atlas.bin'), randomBytes(largeMb * 1024 * 1024));
    await create('large');
  });
  after(async () => test?.stop());

  async function create(name: string): Promise<void> {
    const { data } = await test.admin.post('/servers/{id}/backups', { params: { id }, body: { name } });
    const one = await waitUntil(
      'the backup to end',
      async () => (await list()).find((backup) => backup.id === data.id && backup.status !== 'pending') ?? null,
      90_000,
    );
    expect(one.error).to.equal(null);
    checksums.set(one.id, one.checksum);
  }

  const list = async () => (await test.admin.get('/servers/{id}/backups', { params: { id } })).data;
  const view = async (): Promise<AdminServer | null> => {
    try {
      return (await test.admin.get('/admin/servers/{id}', { params: { id } })).data;
    } catch (error) {
      // a restarted service is briefly unavailable
      if (error instanceof ApiError && error.status === 503) return null;
      throw error;
    }
  };
  const directoryOf = (place: Place) => path.join(place.dataRoot, 'backups', id);
  /** Empty without the directory, which is removed with its last archive at any time. */
  const archivesOn = async (place: Place): Promise<string[]> => {
    try {
      return await readdir(directoryOf(place));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
  const archives = () => [...checksums.keys()].map((backupId) => `${backupId}.tar.gz`).toSorted();

  async function transfer(to: Place): Promise<void> {
    await test.admin.post('/admin/servers/{id}/transfer', { params: { id }, body: { node_id: to.id } });
  }

  /** The large backup has arrived in part. */
  async function copying(to: Place): Promise<void> {
    const partial = async () => (await archivesOn(to)).some((name) => name.endsWith('.partial'));
    await waitUntil('the middle of the copy of a backup', partial, 30_000);
  }

  /** Complete on one node, with no remains on the other. */
  async function movedTo(to: Place, from: Place): Promise<void> {
    const server = await waitUntil(
      'the end of the transfer',
      async () => {
        const now = await view();
        return now?.operation === null ? now : null;
      },
      120_000,
    );
    expect(server.node_id, JSON.stringify(server.last_transfer)).to.equal(to.id);
    expect((await archivesOn(to)).toSorted()).to.deep.equal(archives());
    for (const [backupId, checksum] of checksums) {
      const content = await readFile(path.join(directoryOf(to), `${backupId}.tar.gz`));
      expect(`sha256:${createHash('sha256').update(content).digest('hex')}`).to.equal(checksum);
    }
    await waitUntil('no archive on the node it left', async () => (await archivesOn(from)).length === 0, 60_000);
    const shown = await list();
    expect(shown.map(({ id: backupId, status }) => [backupId, status])).to.have.deep.members(
      [...checksums.keys()].map((backupId) => [backupId, 'completed']),
    );
  }

  /** The server's node and the other one: each test starts where the last one ended. */
  async function places(): Promise<{ from: Place; to: Place }> {
    const server = await waitUntil('the server to be at rest', async () => {
      const now = await view();
      return now?.operation === null ? now : null;
    });
    return server.node_id === a.id ? { from: a, to: b } : { from: b, to: a };
  }

  /** The services of nodes in the order they were added. */
  const filesOf = (place: Place) => (place.id === a.id ? 'files' : 'files-2');

  it('moves backups when the files service of the target is killed midway', async () => {
    const { from, to } = await places();
    await transfer(to);
    await copying(to);
    await test.stack.kill(filesOf(to), 'SIGKILL');
    await movedTo(to, from);
  });

  it('moves backups when the files service of the source is killed midway', async () => {
    const { from, to } = await places();
    await transfer(to);
    await copying(to);
    await test.stack.kill(filesOf(from), 'SIGKILL');
    await movedTo(to, from);
  });

  it('moves backups when the servers service is killed midway', async () => {
    const { from, to } = await places();
    await transfer(to);
    await copying(to);
    await test.stack.kill('servers', 'SIGKILL');
    await test.stack.whenReady('servers');
    await movedTo(to, from);
  });

  it('restores backups on the new node', async () => {
    const { from, to } = await places();
    await transfer(to);
    await movedTo(to, from);
    await writeFile(path.join(to.dataRoot, 'servers', id, 'note.txt'), 'changed');
    const small = (await list()).find(({ name }) => name === 'small');
    const params = { id, backup_id: small?.id ?? '' };
    await test.admin.post('/servers/{id}/backups/{backup-id}/restore', { params, body: { truncate: true } });
    await waitUntil('the end of the restore', async () => (await view())?.operation === null, 60_000);
    const directory = path.join(to.dataRoot, 'servers', id);
    expect(await readFile(path.join(directory, 'note.txt'), 'utf8')).to.equal('as it was');
    expect(await readdir(directory)).not.to.include('atlas.bin');
  });

  it('keeps backups where they are when the transfer is cancelled, and leaves nothing on the target', async () => {
    const { from, to } = await places();
    await transfer(to);
    await copying(to);
    await test.admin.delete('/admin/servers/{id}/transfer', { params: { id } });
    await movedTo(from, to);
  });
});
