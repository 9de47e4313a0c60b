import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AdminServer } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { dumpDatabase } from './support/dump.js';
import { createGame, power, startGame, untilStatus } from './support/game.js';
import { addNode, type Place } from './support/nodes.js';
import { bootStack, type TestStack } from './support/stack.js';

const overrides = { servers: { NODE_LEASE_TTL: '4s', STOP_GRACE: '5s' } };

describe('an older dump of the database of the servers', function () {
  this.timeout(240_000);
  let test: TestStack;
  let first: Place;
  let second: Place;
  before(async () => {
    test = await bootStack({}, { files: 2, overrides });
    const { data } = await test.admin.get('/admin/nodes');
    const local = data.find(({ name }) => name === 'local');
    first = { id: local?.id ?? '', dataRoot: local?.data_root ?? '' };
    second = await addNode(test, 'second', { runtime: 'process' }, '26000-26009');
  });
  after(async () => test?.stop());

  const worldOf = ({ dataRoot }: Place, id: string) => path.join(dataRoot, 'servers', id, 'world.txt');
  const view = async (id: string): Promise<AdminServer> =>
    (await test.admin.get('/admin/servers/{id}', { params: { id } })).data;
  const moved = async (id: string, to: Place) =>
    waitUntil(
      'the server to be there',
      async () => {
        const server = await view(id);
        return server.operation === null && server.node_id === to.id;
      },
      60_000,
    );
  const statusOf = async ({ id }: Place) => (await test.admin.get('/admin/nodes/{id}', { params: { id } })).data;
  const whenNode = async (place: Place, wanted: string) =>
    waitUntil(`the node to be ${wanted}`, async () => (await statusOf(place)).status === wanted, 60_000);
  const reportOf = async ({ id }: Place) => (await test.admin.get('/admin/nodes/{id}/report', { params: { id } })).data;
  const accept = async (place: Place) => {
    await test.admin.post('/admin/nodes/{id}/report/accept', { params: { id: place.id } });
    await whenNode(place, 'online');
  };

  it('loses no world: nothing starts or goes before staff have adopted, moved and forgotten', async () => {
    const travelling = await createGame(test, { name: 'travelling' });
    const doomed = await createGame(test, { name: 'doomed' });
    const restore = await dumpDatabase(test.stack, 'servers');

    await writeFile(worldOf(first, travelling.id), 'built after the dump');
    await test.admin.post('/admin/servers/{id}/transfer', {
      params: { id: travelling.id },
      body: { node_id: second.id },
    });
    await moved(travelling.id, second);
    await startGame(test.admin, travelling.id);
    await untilStatus(test.admin, travelling.id, 'running');
    const added = await createGame(test, { name: 'added' });
    await writeFile(worldOf(first, added.id), 'of a new customer');
    await test.admin.delete('/admin/servers/{id}', { params: { id: doomed.id } });
    await waitUntil('the deleted server to be gone', async () =>
      view(doomed.id).then(
        () => false,
        () => true,
      ),
    );

    const files = [travelling, doomed].map(({ id }) => path.dirname(worldOf(first, id)));
    await waitUntil('their files to be gone', () => !files.some((folder) => existsSync(folder)));
    await restore();
    for (const place of [first, second]) {
      await whenNode(place, 'offline');
      expect((await statusOf(place)).status_reason).to.include('the database is older than the files of this node');
    }
    const names = [travelling.id, doomed.id].toSorted();
    const report = await reportOf(first);
    expect(report.database_is_older).to.equal(true);
    expect(report.orphan_volumes).to.have.lengthOf(1);
    expect(report.orphan_volumes[0]).to.include({ server_id: added.id, server: null });
    expect(report.orphan_volumes[0]?.size_bytes).to.be.above(0);
    expect(report.missing_volumes.map(({ id }) => id).toSorted()).to.deep.equal(names);
    expect((await reportOf(second)).orphan_volumes.map(({ server_id }) => server_id)).to.deep.equal([travelling.id]);

    // A move to files that are there, which needs no node that works.
    await test.admin.post('/admin/servers/{id}/transfer', {
      params: { id: travelling.id },
      body: { node_id: second.id, has_files: true },
    });
    await moved(travelling.id, second);
    const { data: free } = await test.admin.get('/admin/nodes/{id}/allocations', { params: { id: first.id } });
    const adoption = {
      name: 'adopted',
      user_id: test.adminId,
      egg_id: (await view(travelling.id)).egg_id ?? '',
      memory: 128,
      cpu: 100,
      disk: 1024,
      environment: { TICK_SECONDS: '1' },
      node_id: first.id,
      allocation_id: free.find(({ assigned }) => !assigned)?.id ?? '',
      adopted_id: added.id,
    };
    const { data: adopted } = await test.admin.post('/admin/servers', { body: adoption });
    expect(adopted).to.include({ id: added.id, name: 'adopted', status: 'offline' });
    await test.admin.delete('/admin/servers/{id}', { params: { id: doomed.id }, query: { force: 'true' } });

    await accept(first);
    await accept(second);
    // The game has run on all the while, and is the panel's again.
    await untilStatus(test.admin, travelling.id, 'running', 60_000);
    expect(await readFile(worldOf(second, travelling.id), 'utf8')).to.equal('built after the dump');
    await power(test.admin, travelling.id, 'kill');
    await untilStatus(test.admin, travelling.id, 'offline');
    await startGame(test.admin, added.id);
    await untilStatus(test.admin, added.id, 'running');
    expect(await readFile(worldOf(first, added.id), 'utf8')).to.equal('of a new customer');
    await power(test.admin, added.id, 'kill');
    for (const place of [first, second])
      expect(await reportOf(place))
        .to.include({ database_is_older: false })
        .and.have.property('orphan_volumes').that.is.empty;
  });
});
