import { randomUUID } from 'node:crypto';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { type Server, UpdateNodeRequest, UpdateServerRequest } from '@panel/protos/servers';
import { expect } from 'chai';
import { createStores, type Stores } from '../../src/models/stores.js';
import { repairNodeNames } from '../../src/nodes/copy-node-name.js';
import { createFixture, emptyNode, type Fixture, reasonOf } from '../support/fixture.js';
import { type Clients, testSeal, userActor } from '../support/harness.js';

describe('node and allocation data in server documents', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let mongo: MongoConnection;
  let stores: Stores;
  /** The same staff at two replicas. */
  let replicas: Clients[];
  const nodeIds: string[] = [];

  before(async () => {
    fixture = await createFixture({ ports: ['20000-20199'], memoryMb: 1_000_000 });
    const { harness, admin } = fixture;
    replicas = [admin, harness.clients(userActor(randomUUID(), ['*']), await harness.startReplica())];
    const { node } = await admin.nodes.createNode({ ...emptyNode, name: 'the other', memoryMb: 1_000_000 });
    nodeIds.push(fixture.nodeId, node?.id ?? '');
    harness.processNodes.push(node?.id ?? '');
    const ports = { nodeId: node?.id ?? '', ip: '127.0.0.1', alias: 'other.example', ports: ['21000-21199'] };
    await admin.allocations.createAllocations(ports);
    mongo = await connectMongo(harness.mongoUrl, { appName: 'test' });
    stores = createStores(mongo, testSeal);
  });
  after(async () => {
    await mongo.close();
    await fixture.stop();
  });

  const at = (index: number) => replicas[index % replicas.length] ?? fixture.admin;
  const rename = async (nodeId: string, name: string, index = 0) =>
    at(index).nodes.updateNode(UpdateNodeRequest.create({ nodeId, name }));
  const shown = async (serverId: string, index = 0) => {
    const { server } = await at(index).servers.getServer({ serverId, asStaff: true });
    if (!server) throw new Error('no server in the answer');
    return server;
  };
  const create = async () =>
    fixture.installed({
      skipScripts: true,
      featureLimits: { databases: 0, backups: 0, allocations: 5 },
      limits: { memoryMb: 128, swapMb: 0, diskMb: 0, ioWeight: 500, cpuPercent: 0 },
    });

  /** Compares the view with nodes and allocations. */
  const expectTrue = async (server: Server) => {
    const node = await stores.nodes.get(server.node?.id ?? '');
    expect(server.node?.name, 'the name of the node').to.equal(node?.name);
    // The transfer's cleanup frees those of the old node.
    const rows = (await stores.allocations.ofServers([server.id])).filter(({ nodeId }) => nodeId === server.node?.id);
    const pick = (of: readonly { id: string; nodeId: string; ip: string; alias: string; port: number }[]) =>
      of.map(({ id, nodeId, ip, alias, port }) => [id, nodeId, ip, alias, port].join(' ')).sort();
    expect(pick(server.allocations)).to.deep.equal(pick(rows));
    expect(server.allocation?.id).to.equal(server.allocations[0]?.id);
  };

  it('matches the copies of data with their sources after random histories at two replicas', async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, create));
    const random = (below: number) => Math.floor(Math.random() * below);
    const steps: ((id: string, index: number) => Promise<unknown>)[] = [
      async (_, index) => rename(nodeIds[random(2)] ?? '', `name ${randomUUID()}`, index),
      async (serverId, index) => at(index).servers.addServerAllocation({ serverId }),
      async (serverId, index) => {
        const { allocations } = await shown(serverId, index);
        const allocationId = allocations[random(allocations.length)]?.id ?? '';
        return at(index).servers.removeServerAllocation({ serverId, allocationId });
      },
      async (serverId, index) => {
        const { allocations } = await shown(serverId, index);
        const allocationId = allocations[random(allocations.length)]?.id ?? '';
        const change = { serverId, allocationId, notes: `note ${index}`, primary: random(2) === 0 };
        return at(index).servers.updateServerAllocation(change);
      },
      async (serverId, index) => {
        const { node } = await shown(serverId, index);
        const nodeId = nodeIds.find((id) => id !== node?.id) ?? '';
        return at(index).servers.transferServer({
          serverId,
          nodeId,
          allocationId: '',
          additionalAllocationIds: undefined,
        });
      },
    ];
    for (let round = 0; round < 6; round++) {
      // Rejected steps change nothing.
      const step = async (index: number) => {
        const server = servers[random(servers.length)];
        await reasonOf(steps[random(steps.length)]?.(server?.id ?? '', index) ?? Promise.resolve());
      };
      await Promise.all(Array.from({ length: 20 }, async (_, index) => step(index)));
    }
    for (const { id } of servers) {
      const isIdle = async () => (await shown(id)).operation === undefined;
      await waitUntil(`the end of the operations of ${id}`, isIdle, 60_000);
      for (const index of replicas.keys()) await expectTrue(await shown(id, index));
    }
  });

  it('copies the last name after 50 concurrent renames and ten creations', async () => {
    const [nodeId = ''] = nodeIds;
    const [servers] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, create)),
      Promise.all(Array.from({ length: 50 }, async (_, index) => rename(nodeId, `race ${index}`, index))),
    ]);
    for (const { id } of servers) await expectTrue(await shown(id));
  });

  it('shows a new node name in the first read of any replica after the rename is answered', async () => {
    const { id, node } = await shown((await create()).id);
    for (let index = 0; index < 10; index++) {
      const name = `renamed ${randomUUID()}`;
      await rename(node?.id ?? '', name, index);
      expect((await shown(id, index + 1)).node?.name).to.equal(name);
    }
  });

  it('repairs copied node data after a process died between a rename and its copies', async () => {
    const { id, node } = await shown((await create()).id);
    const nodeId = node?.id ?? '';
    const name = `died after ${randomUUID()}`;
    await stores.nodes.update(nodeId, { name }, new Date());
    expect((await shown(id)).node?.name).to.equal(node?.name);
    await repairNodeNames(stores, nodeIds);
    expect((await shown(id)).node?.name).to.equal(name);
  });

  it('restores no older name', async () => {
    const { id, node } = await shown((await create()).id);
    const nodeId = node?.id ?? '';
    const older = await stores.nodes.nameOf(nodeId);
    const newest = `the newest ${randomUUID()}`;
    await rename(nodeId, newest);
    if (older) await stores.servers.setNodeName(nodeId, older);
    expect((await shown(id)).node?.name).to.equal(newest);
  });

  it("copies notes only while the allocation is assigned, in the node's list too", async () => {
    const { id: serverId, node } = await create();
    const { allocation } = await fixture.admin.servers.addServerAllocation({ serverId });
    const allocationId = allocation?.id ?? '';
    await fixture.admin.servers.updateServerAllocation({ serverId, allocationId, notes: 'query port', primary: false });
    const listed = async () => {
      const pages = [1, 2].map((page) => ({ page, perPage: 100, sort: [], search: '' }));
      const lists = pages.map(async (page) =>
        fixture.admin.allocations.listAllocations({ nodeId: node?.id ?? '', page }),
      );
      const found = (await Promise.all(lists)).flatMap(({ allocations }) => allocations);
      return found.find(({ id }) => id === allocationId)?.notes;
    };
    expect(await listed()).to.equal('query port');
    await fixture.admin.servers.removeServerAllocation({ serverId, allocationId });
    expect(await listed()).to.equal('');
  });

  it('limits additions under 50 concurrent requests', async () => {
    const { id: serverId } = await create();
    const reasons = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => reasonOf(at(index).servers.addServerAllocation({ serverId }))),
    );
    expect(reasons.filter((reason) => reason === 'none')).to.have.length(4);
    await expectTrue(await shown(serverId));
  });

  it('shows every change of a writer in order to 50 readers at two replicas', async () => {
    const { id: serverId } = await create();
    for (let round = 0; round < 10; round++) {
      const name = `round ${round}`;
      const reading = Array.from({ length: 25 }, async (_, index) => shown(serverId, index));
      await at(round).servers.updateServer(UpdateServerRequest.create({ serverId, name }));
      const after = await Promise.all(Array.from({ length: 50 }, async (_, index) => shown(serverId, index)));
      expect(new Set(after.map((server) => server.name))).to.deep.equal(new Set([name]));
      await Promise.all(reading);
    }
  });

  it('reads data by one find command even when it exceeds one reply', async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, async () => (await create()).id));
    const large = { $set: { description: 'x'.repeat(2_000_000) } };
    await mongo.collection<{ _id: string }>('servers').updateMany({ _id: { $in: ids } }, large);
    const found = await Promise.all(ids.map(async (id) => stores.servers.getView(id)));
    expect(found.map((server) => server?.id)).to.deep.equal(ids);
    await mongo.collection<{ _id: string }>('servers').updateMany({ _id: { $in: ids } }, { $set: { description: '' } });
  });
});
