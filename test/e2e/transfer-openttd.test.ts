import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { readTestConfig } from '@panel/testing';
import { expect } from 'chai';
import { docker, ensureOpenttd, needEngine } from './support/engine.js';
import { ask, createServer, importEgg, lineWith, power, untilStatus } from './support/game.js';
import { addNode } from './support/nodes.js';
import { openttdEgg } from './support/openttd.js';
import { freePort } from './support/ports.js';
import { bootStack, type TestStack } from './support/stack.js';

/** In every run: shared/openttd.test.ts. */
const describeLong = readTestConfig().isLong ? describe : describe.skip;

describeLong('transfer of a Debian game server in a container (long)', function () {
  this.timeout(420_000);
  let test: TestStack;

  before(async function () {
    await needEngine(this);
    await ensureOpenttd();
    const overrides = { servers: { NODE_LEASE_TTL: '4s' } };
    test = await bootStack({ RUNTIME: 'docker' }, { files: 2, overrides });
  });

  after(async () => test?.stop());

  it('keeps its saved games and listens on its new port', async () => {
    const node = await addNode(
      test,
      `second-${randomUUID()}`,
      { runtime: 'docker', engine: { url: 'unix:///var/run/docker.sock' } },
      String(await freePort()),
    );
    const eggId = await importEgg(test.admin, JSON.stringify(openttdEgg));
    const { id, node: home } = await createServer(test, eggId, {
      ...(await homePlace()),
      name: 'OpenTTD',
      memory: 512,
      cpu: 200,
    });
    const console = await test.admin.openConsole(id);
    await power(test.admin, id, 'start');
    await lineWith(console, 'Map generated, starting game', false, 120_000);
    await untilStatus(test.admin, id, 'running');
    await ask(console, 'save harbour', 'Map successfully saved');
    const saved = await savedGame(id);

    const again = lineWith(console, 'Map generated, starting game', true, 180_000);
    await test.admin.post('/admin/servers/{id}/transfer', { params: { id }, body: { node_id: node.id } });
    await lineWith(console, 'Shutting down', false, 30_000);
    await again;
    const moved = await untilStatus(test.admin, id, 'running');
    expect(moved.node).to.deep.include({ id: node.id });
    expect(await savedGame(id)).to.deep.equal(saved);
    const port = moved.allocation?.port ?? 0;
    await ask(console, 'load harbour', `Listening on 0.0.0.0:${port}`);
    const [container, ...others] = await docker.listContainers({ all: true, filters: { name: [id] } });
    expect(others).to.have.length(0);
    const { Mounts: mounts, NetworkSettings: network } = await docker.getContainer(container?.Id ?? '').inspect();
    expect(Object.keys(network.Ports)).to.have.members([`${port}/tcp`, `${port}/udp`]);
    expect(mounts.map(({ Source }) => Source)).to.include(path.join(node.dataRoot, 'servers', id));
    const { data: old } = await test.admin.get('/admin/nodes/{id}', { params: { id: home?.id ?? '' } });
    await waitUntil('the old files to be gone', () => !existsSync(path.join(old.data_root, 'servers', id)), 30_000);
    expect(old.allocated).to.include({ servers: 0, memory: 0 });
    await ask(console, 'say we are here', 'we are here');
    await power(test.admin, id, 'stop');
    await untilStatus(test.admin, id, 'offline');
    await console.close();

    /** The local node, with an address unused by other installations' games. */
    async function homePlace() {
      const { data: nodes } = await test.admin.get('/admin/nodes');
      const local = nodes.find(({ name }) => name === 'local')?.id ?? '';
      const place = { params: { id: local } };
      const port = await freePort();
      await test.admin.post('/admin/nodes/{id}/allocations', {
        ...place,
        body: { ip: '127.0.0.1', ports: [String(port)] },
      });
      const { data: all } = await test.admin.get('/admin/nodes/{id}/allocations', {
        ...place,
        query: { per_page: 100 },
      });
      return { node_id: local, allocation_id: all.find((allocation) => allocation.port === port)?.id };
    }

    /** Size and digest of the saved game on its current node. */
    async function savedGame(serverId: string) {
      const { data: server } = await test.admin.get('/admin/servers/{id}', { params: { id: serverId } });
      const { data: place } = await test.admin.get('/admin/nodes/{id}', { params: { id: server.node_id ?? '' } });
      const bytes = readFileSync(path.join(place.data_root, 'servers', serverId, 'save', 'harbour.sav'));
      return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }
  });
});
